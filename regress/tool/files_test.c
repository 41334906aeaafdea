/*
 * The file tools, in a directory of their own.
 */
#include <sys/stat.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "test.h"

typedef int	(*tool)(const json_t *, json_t **, char *, size_t);

static const struct {
	const char	*what;
	tool		 fn;
	const char	*input;
	const char	*want;		/* compact JSON, or the error's text */
} cases[] = {
	{ "read a file", op_read, "{\"path\":\"a.txt\"}",
	    "\"one\\ntwo\\nthree\\n\"" },
	{ "read from a line on", op_read, "{\"path\":\"a.txt\",\"offset\":2}",
	    "\"two\\nthree\\n\"" },
	{ "read one line", op_read,
	    "{\"path\":\"a.txt\",\"offset\":2,\"limit\":1}", "\"two\\n\"" },
	{ "read past the end", op_read,
	    "{\"path\":\"a.txt\",\"offset\":9}",
	    "a.txt: has 3 lines, offset is 9" },
	{ "read an empty file", op_read, "{\"path\":\"empty\"}", "\"\"" },
	{ "read what is not there", op_read, "{\"path\":\"none\"}",
	    "none: No such file or directory" },
	{ "read a directory", op_read, "{\"path\":\"src\"}",
	    "src: is a directory (use glob)" },
	{ "read a fifo", op_read, "{\"path\":\"fifo\"}",
	    "fifo: is not a regular file" },
	{ "read bytes that are no text", op_read, "{\"path\":\"bin\"}",
	    "bin: byte 2 is not UTF-8 text (use bash: file, xxd)" },
	{ "read without a path", op_read, "{}",
	    "path is missing or not a string" },
	{ "write makes directories", op_write,
	    "{\"path\":\"x/y/z\",\"content\":\"h\\u00e9\"}", "{\"bytes\":3}" },
	{ "and it is there", op_read, "{\"path\":\"x/y/z\"}",
	    "\"h\xc3\xa9\"" },
	{ "write over a file", op_write,
	    "{\"path\":\"x/y/z\",\"content\":\"\"}", "{\"bytes\":0}" },
	{ "write to a directory", op_write,
	    "{\"path\":\"src\",\"content\":\"\"}", "src: Is a directory" },
	{ "write below a file", op_write,
	    "{\"path\":\"a.txt/b\",\"content\":\"\"}",
	    "a.txt/b: Not a directory" },
	{ "edit once", op_edit,
	    "{\"path\":\"e\",\"old\":\"cat\",\"new\":\"horse\"}",
	    "{\"replaced\":1}" },
	{ "and it is so", op_read, "{\"path\":\"e\"}",
	    "\"a horse, a dog, a dog\\n\"" },
	{ "edit what is there twice", op_edit,
	    "{\"path\":\"e\",\"old\":\"dog\",\"new\":\"x\"}",
	    "e: old is in it 2 times; give more of the text, or all: true" },
	{ "edit all", op_edit,
	    "{\"path\":\"e\",\"old\":\"dog\",\"new\":\"ox\",\"all\":true}",
	    "{\"replaced\":2}" },
	{ "edit what is not there", op_edit,
	    "{\"path\":\"e\",\"old\":\"dog\",\"new\":\"x\"}",
	    "e: old is not in it" },
	{ "edit with nothing to look for", op_edit,
	    "{\"path\":\"e\",\"old\":\"\",\"new\":\"x\"}", "old is empty" },
	{ "after all edits", op_read, "{\"path\":\"e\"}",
	    "\"a horse, a ox, a ox\\n\"" },
	{ "grep", op_grep, "{\"pattern\":\"^t\"}",
	    "[{\"path\":\"a.txt\",\"line\":2,\"text\":\"two\"},"
	    "{\"path\":\"a.txt\",\"line\":3,\"text\":\"three\"}]" },
	{ "grep in a directory", op_grep,
	    "{\"pattern\":\"int\",\"path\":\"src\"}",
	    "[{\"path\":\"src/deep/b.c\",\"line\":1,\"text\":\"int b;\"},"
	    "{\"path\":\"src/main.c\",\"line\":1,\"text\":\"int main;\"}]" },
	{ "grep in one file", op_grep,
	    "{\"pattern\":\"w\",\"path\":\"a.txt\"}",
	    "[{\"path\":\"a.txt\",\"line\":2,\"text\":\"two\"}]" },
	{ "grep some files", op_grep,
	    "{\"pattern\":\"INT\",\"glob\":\"m*.c\",\"ignore_case\":true}",
	    "[{\"path\":\"src/main.c\",\"line\":1,\"text\":\"int main;\"}]" },
	{ "grep with a bad pattern", op_grep, "{\"pattern\":\"(\"}",
	    "pattern \"(\": Unmatched ( or \\(" },
	{ "grep finds nothing", op_grep, "{\"pattern\":\"zebra\"}", "[]" },
	{ "grep in no directory", op_grep,
	    "{\"pattern\":\"a\",\"path\":\"none\"}",
	    "none: No such file or directory" },
	{ "glob one directory", op_glob, "{\"pattern\":\"*.txt\"}",
	    "[\"a.txt\"]" },
	{ "glob all directories", op_glob, "{\"pattern\":\"**/*.c\"}",
	    "[\"src/deep/b.c\",\"src/main.c\"]" },
	{ "glob below one", op_glob, "{\"pattern\":\"src/**/*.c\"}",
	    "[\"src/deep/b.c\",\"src/main.c\"]" },
	{ "glob from a path", op_glob,
	    "{\"pattern\":\"*.c\",\"path\":\"src\"}", "[\"src/main.c\"]" },
	{ "glob follows no link", op_glob, "{\"pattern\":\"loop/**\"}", "[]" },
};

static void
put(const char *path, const char *data, size_t len)
{
	FILE	*f = fopen(path, "w");

	if (f == NULL || fwrite(data, 1, len, f) != len || fclose(f) != 0)
		abort();
}

static void
fill(void)
{
	if (mkdir("src", 0755) == -1 || mkdir("src/deep", 0755) == -1 ||
	    mkdir(".git", 0755) == -1 || mkfifo("fifo", 0600) == -1 ||
	    symlink("..", "loop") == -1)
		abort();
	put("a.txt", "one\ntwo\nthree\n", 14);
	put("empty", "", 0);
	put("bin", "ab\xff\0", 4);
	put("e", "a cat, a dog, a dog\n", 20);
	put("src/main.c", "int main;\n", 10);
	put("src/deep/b.c", "int b;\n", 7);
	put(".git/int", "int\n", 4);
}

static void
run(size_t i)
{
	char	 why[1024] = "";
	json_t	*input, *value = NULL;
	char	*text = NULL;
	int	 ok;

	input = json_loads(cases[i].input, 0, NULL);
	if (cases[i].fn(input, &value, why, sizeof(why)) == 0)
		text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
	ok = strcmp(text == NULL ? why : text, cases[i].want) == 0;
	if (!test_case(ok, "tool: %s", cases[i].what))
		printf("# got %s\n", text == NULL ? why : text);
	free(text);
	json_decref(value);
	json_decref(input);
}

static const struct {
	const char	*pattern, *path;
	int		 want;
} matches[] = {
	{ "*.c", "a.c", 1 }, { "*.c", "d/a.c", 0 }, { "**/*.c", "a.c", 1 },
	{ "**/*.c", "d/e/a.c", 1 }, { "d/**", "d/e/a.c", 1 },
	{ "d/**/a.c", "d/a.c", 1 }, { "d/**/a.c", "e/a.c", 0 },
	{ "**", "x", 1 }, { "*", ".hidden", 0 }, { ".*", ".hidden", 1 },
	{ "[ab].c", "b.c", 1 }, { "a/b", "a/b/c", 0 }, { "a/b/c", "a/b", 0 },
	{ "**/**/**/x", "x", 1 }, { "", "", 1 }, { "?", "ab", 0 },
};

int
main(void)
{
	char	dir[] = "/tmp/wfsup-files.XXXXXX", cmd[64];
	size_t	i;

	for (i = 0; i < sizeof(matches) / sizeof(matches[0]); i++)
		test_case(op_match(matches[i].pattern, matches[i].path) ==
		    matches[i].want, "match: \"%s\" and \"%s\"",
		    matches[i].pattern, matches[i].path);
	if (mkdtemp(dir) == NULL || chdir(dir) == -1)
		return (1);
	fill();
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		run(i);
	if (snprintf(cmd, sizeof(cmd), "rm -rf %s", dir) < 0 ||
	    system(cmd) != 0)
		return (1);
	return (test_end());
}
