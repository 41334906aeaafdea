/*
 * The builtin module _jail: the socket to the broker, as two functions.
 * What a script does with them is judged at the other end.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../wire.h"
#include "python.h"

static PyObject *
jail_send(PyObject *self, PyObject *args)
{
	unsigned int	 type, peerid;
	const char	*env;
	Py_ssize_t	 envlen;
	Py_buffer	 body;
	int		 ret = -1;

	(void)self;
	if (!PyArg_ParseTuple(args, "IIs#z*:send", &type, &peerid, &env,
	    &envlen, &body))
		return (NULL);
	errno = EINVAL;
	if (strlen(env) == (size_t)envlen)
		ret = wire_send(type, peerid, env, body.buf,
		    (size_t)body.len);
	PyBuffer_Release(&body);
	if (ret == 0)
		Py_RETURN_NONE;
	/* With the broker gone nobody is left to be told. */
	if (errno == EPIPE || errno == ECONNRESET)
		_exit(0);
	return (PyErr_SetFromErrno(PyExc_OSError));
}

static PyObject *
jail_recv(PyObject *self, PyObject *args)
{
	struct wire	 w;
	PyObject	*value;

	(void)self;
	(void)args;
	switch (wire_recv(&w)) {
	case WIRE_GOT:
		break;
	case WIRE_EOF:
		_exit(0);
	case WIRE_ERROR:
		_exit(1);
	}
	value = Py_BuildValue("(IIs#y#)", w.type, w.id, w.env,
	    (Py_ssize_t)w.envlen, w.body != NULL ? w.body : "",
	    (Py_ssize_t)w.bodylen);
	wire_free(&w);
	return (value);
}

static PyMethodDef	methods[] = {
	{ "send", jail_send, METH_VARARGS,
	    "send(type, peerid, envelope, body)\n\n"
	    "Send one message; body is bytes, str or None." },
	{ "recv", jail_recv, METH_NOARGS,
	    "recv()\n\n"
	    "Wait for one message: (type, peerid, envelope, body)." },
	{ NULL, NULL, 0, NULL }
};

static struct PyModuleDef	module = {
	PyModuleDef_HEAD_INIT, "_jail", "The socket to the broker.", -1,
	methods, NULL, NULL, NULL, NULL
};

static PyObject *
module_init(void)
{
	return (PyModule_Create(&module));
}

int
module_register(void)
{
	return (PyImport_AppendInittab("_jail", module_init));
}
