/*
 * The JSON Schema of policy files: the generated reference, embedded when this is built.
 */
#ifndef BERM_POLICYREADER_SCHEMA_H
#define BERM_POLICYREADER_SCHEMA_H

/* Its lines, ended by NULL. Made by tools/gen-reference from fields.def. */
extern const char *const policy_schema[];

#endif
