/*
 * bytecode NAME <NAME.py: compile a module of the prelude and print its code
 * as the bytes of a C array: the interpreter's magic number, then the
 * marshalled code. For the build.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <marshal.h>

#include <err.h>
#include <stdio.h>

#define SOURCE_MAX	(1024 * 1024)

static void
start(void)
{
	PyConfig	config;
	PyStatus	status;

	PyConfig_InitIsolatedConfig(&config);
	config.site_import = 0;
	/* The same source gives the same bytes. */
	config.use_hash_seed = 1;
	config.hash_seed = 0;
	status = Py_InitializeFromConfig(&config);
	if (PyStatus_Exception(status))
		errx(1, "python: %s", status.err_msg);
}

static void
print_bytes(const unsigned char *p, size_t n)
{
	size_t	i;

	for (i = 0; i < n; i++)
		printf("0x%02x,%s", p[i], i % 16 == 15 ? "\n" : "");
}

static void
print_magic(void)
{
	long		magic = PyImport_GetMagicNumber();
	unsigned char	bytes[4];
	size_t		i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(magic >> 8 * i);
	print_bytes(bytes, sizeof(bytes));
}

int
main(int argc, char **argv)
{
	static char	 source[SOURCE_MAX];
	char		 file[64];
	PyObject	*code, *bytes = NULL;

	if (argc != 2)
		errx(2, "usage: bytecode name <source");
	if (fread(source, 1, sizeof(source), stdin) == sizeof(source))
		errx(1, "%s: too long", argv[1]);
	start();
	(void)snprintf(file, sizeof(file), "<wfsup>/%s.py", argv[1]);
	if ((code = Py_CompileString(source, file, Py_file_input)) != NULL)
		bytes = PyMarshal_WriteObjectToString(code,
		    Py_MARSHAL_VERSION);
	if (bytes == NULL) {
		PyErr_Print();
		errx(1, "%s: not compiled", argv[1]);
	}
	print_magic();
	print_bytes((const unsigned char *)PyBytes_AsString(bytes),
	    (size_t)PyBytes_Size(bytes));
	return (fflush(stdout) == 0 ? 0 : 1);
}
