/*
 * JSON Schema: is a definition one that we understand, and is a value as it
 * says. Both come from scripts and models; depth and work are bounded.
 *
 * Understood: type (also a list), properties, required,
 * additionalProperties, minProperties, maxProperties, items, prefixItems,
 * minItems, maxItems, uniqueItems, enum, const, minimum, maximum,
 * exclusiveMinimum, exclusiveMaximum, multipleOf, minLength, maxLength (in
 * characters), pattern (pattern.h), anyOf, oneOf, allOf, not, $defs,
 * definitions and $ref to "#" or "#/$defs/NAME". Without effect: title,
 * description, default, examples, format, $schema, $id, $comment, deprecated,
 * readOnly, writeOnly. Anything else is refused rather than ignored.
 */
#ifndef SCHEMA_H
#define SCHEMA_H

#include <jansson.h>
#include <stddef.h>

#define SCHEMA_DEPTH_MAX	128	/* schemas within schemas */
#define SCHEMA_WORK_MAX		2000000	/* steps of one check */

/*
 * Is schema a definition that schema_check() understands? Returns 0, or -1
 * and in why the place and what is wrong, as valid UTF-8:
 * "schema.properties.age.minimum: expected a number".
 */
int	 schema_check_definition(const json_t *schema, char *why,
	    size_t whylen) __attribute__((warn_unused_result));

/*
 * Is value as schema says? schema has passed schema_check_definition(); name
 * is what the error calls the value: "input.items[3]: expected string, got
 * null". Returns 0, or -1 with why filled in.
 */
int	 schema_check(const json_t *schema, const json_t *value,
	    const char *name, char *why, size_t whylen)
	    __attribute__((warn_unused_result));

/* What a $ref of a schema below root means: lent, or NULL. */
const json_t	*schema_ref(const json_t *root, const char *ref);

#endif
