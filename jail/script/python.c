/*
 * CPython, isolated: no environment, no site, no user directory, no
 * bytecode written, one hash seed for ever, so that a replay sees sets in
 * the order in which the first run saw them.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <marshal.h>

#include <string.h>

#include "../words.h"
#include "log.h"
#include "python.h"

/* A path below which the interpreter finds its library. */
#define PROGRAM	"/usr/bin/python3"

#define MAGIC_LEN	4

static void __attribute__((noreturn))
python_fatal(const char *what)
{
	PyErr_Print();
	fatalx("python: %s", what);
}

static void
status_check(PyStatus status, const char *what)
{
	if (PyStatus_Exception(status))
		fatalx("python: %s: %s", what,
		    status.err_msg != NULL ? status.err_msg : "failed");
}

static void
interpreter_start(void)
{
	PyPreConfig	pre;
	PyConfig	config;

	PyPreConfig_InitIsolatedConfig(&pre);
	pre.utf8_mode = 1;
	status_check(Py_PreInitialize(&pre), "preinitialize");
	PyConfig_InitIsolatedConfig(&config);
	config.site_import = 0;
	config.write_bytecode = 0;
	config.use_hash_seed = 1;
	config.hash_seed = 0;
	config.install_signal_handlers = 0;
	status_check(PyConfig_SetBytesString(&config, &config.program_name,
	    PROGRAM), "program name");
	status_check(Py_InitializeFromConfig(&config), "initialize");
	PyConfig_Clear(&config);
}

/*
 * What asyncio and hashlib take along if they can, and no script needs: TLS,
 * and OpenSSL's other ciphers besides. They are most of what there would be
 * to map, to relocate, and to copy in each fork. Both modules do without.
 */
static void
modules_leave(void)
{
	static const char	code[] =
	    "import sys\n"
	    "for name in ('ssl', '_ssl', '_hashlib'):\n"
	    "    sys.modules[name] = None\n";

	if (PyRun_SimpleString(code) == -1)
		fatalx("python: modules left out");
}

/* The number that changes whenever bytecode does. */
static long
magic_of(const struct prelude *p)
{
	return ((long)((uint32_t)p->code[0] | (uint32_t)p->code[1] << 8 |
	    (uint32_t)p->code[2] << 16 | (uint32_t)p->code[3] << 24));
}

/* Import one module from its embedded code. */
static void
prelude_import(const struct prelude *p)
{
	PyObject	*code, *module;

	if (magic_of(p) != (PyImport_GetMagicNumber() & 0xffffffff))
		fatalx("python: %s is compiled for another version than %s",
		    p->name, Py_GetVersion());
	code = PyMarshal_ReadObjectFromString((const char *)p->code +
	    MAGIC_LEN, (Py_ssize_t)p->len - MAGIC_LEN);
	if (code == NULL)
		python_fatal(p->name);
	if ((module = PyImport_ExecCodeModule(p->name, code)) == NULL)
		python_fatal(p->name);
	Py_DECREF(code);
	Py_DECREF(module);
}

/* Call a function of the prelude that takes nothing. A new reference. */
static PyObject *
prelude_call(const char *name)
{
	PyObject	*module, *value;

	if ((module = PyImport_ImportModule("_wf_main")) == NULL)
		return (NULL);
	value = PyObject_CallMethod(module, name, NULL);
	Py_DECREF(module);
	return (value);
}

/* What is here by now lives as long as the process: the collector must not
 * walk it in every jail and so copy its pages. */
static void
collector_freeze(void)
{
	static const char	code[] =
	    "import gc\n"
	    "gc.collect()\n"
	    "gc.disable()\n"
	    "gc.freeze()\n";

	if (PyRun_SimpleString(code) == -1)
		fatalx("python: gc.freeze");
}

void
python_start(void)
{
	const struct prelude	*p;
	PyObject		*value;

	if (module_register() == -1)
		fatalx("python: module _jail");
	interpreter_start();
	modules_leave();
	for (p = prelude; p->name != NULL; p++)
		prelude_import(p);
	if ((value = prelude_call("prepare")) == NULL)
		python_fatal("prepare");
	Py_DECREF(value);
	collector_freeze();
}

/*
 * We are the child of a raw clone3() of a process with one thread, at a
 * place where it held no lock and had no signal pending: the interpreter is
 * as it should be. What it does after any fork repairs what other threads
 * may have left, and calls what modules have registered: random seeds itself
 * (the run does that), threading and logging renew locks that nobody holds.
 * All that is a sixth of a short run. A build with WFSUP_FORK_HOOKS does it.
 */
void
python_after_fork(void)
{
#ifdef WFSUP_FORK_HOOKS
	PyOS_AfterFork_Child();
#endif
}

/*
 * Only what leaves no trace that a script could see: no task, no object that
 * lives on, no number drawn. If it fails, a run is slower and says why.
 */
void
python_exercise(void)
{
	static const char	code[] =
	    "import _wf_border, _wf_graft\n"
	    "for i in range(3):\n"
	    "    _wf_graft.build('phase(\"x\")\\nlog(\"x\", n=1)\\n'\n"
	    "        'async def f(i):\\n return [i for i in range(3)]\\n'\n"
	    "        'return {\"n\": await f(1)}')\n"
	    "    _wf_border.decode(_wf_border.encode({'n': [1, 'x']}, 'x'))\n"
	    "del i\n";

	if (PyRun_SimpleString(code) == -1)
		PyErr_Clear();
}

const char *
python_version(void)
{
	static char	version[32];
	size_t		n;

	/* "3.11.2 (main, ...) [GCC ...]" */
	n = strcspn(Py_GetVersion(), " ");
	(void)snprintf(version, sizeof(version), "%.*s", (int)n,
	    Py_GetVersion());
	return (version);
}

int
python_run(void)
{
	PyObject	*value;
	int		 memory;

	(void)PyGC_Enable();
	if ((value = prelude_call("run")) == NULL) {
		memory = PyErr_ExceptionMatches(PyExc_MemoryError);
		PyErr_Clear();
		if (memory)
			words_memory();
		return (1);
	}
	Py_DECREF(value);
	return (0);
}
