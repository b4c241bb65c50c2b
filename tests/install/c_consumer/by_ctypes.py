# SPDX-License-Identifier: Apache-2.0
"""by_ctypes.py LIBRARY DIRECTORY -- the C interface from another language."""
import ctypes
import json
import sys
from ctypes import (byref, c_char_p, c_double, c_int, c_size_t, c_uint64,
                    c_void_p, string_at)

lib = ctypes.CDLL(sys.argv[1])
directory = sys.argv[2]
lib.tamis_code_name.restype = c_char_p
lib.tamis_options_create.restype = c_void_p
lib.tamis_batch_create.restype = c_void_p
lib.tamis_iterator_key.restype = c_void_p
lib.tamis_policy_rate_at.restype = c_double


def call(name, *arguments):
    """Calls a function whose last argument is the message."""
    message = c_void_p()
    code = getattr(lib, name)(*arguments, byref(message))
    text = string_at(message.value).decode() if message.value else None
    lib.tamis_free(message)
    assert (code == 0) == (text is None), (name, code, text)
    if code != 0:
        raise OSError(lib.tamis_code_name(code).decode(), text)


def taken(pointer, length):
    """Returns bytes that the library allocated, and frees them."""
    data = string_at(pointer.value, length.value)
    lib.tamis_free(pointer)
    return data


def refuses(what, name, *arguments):
    try:
        call(name, *arguments)
    except OSError as error:
        assert what in str(error), error
        return
    raise AssertionError(name + " did not fail")


# A filter of 10,000 integers, from an array in one call.
policy, builder, found = c_void_p(), c_void_p(), c_void_p()
refuses("invalid argument", "tamis_policy_create", b"blom:10", byref(policy))
call("tamis_policy_create", b"bloom:10", byref(policy))
call("tamis_builder_create", policy, None, byref(builder))
numbers = (c_uint64 * 20000)(*range(20000))
lib.tamis_builder_add_fixed(builder, numbers, c_size_t(8), c_size_t(8),
                            c_size_t(10000))
data, length = c_void_p(), c_size_t()
call("tamis_builder_finish", builder, byref(data), byref(length))
bytes_of_filter = taken(data, length)
lib.tamis_builder_destroy(builder)

filter_ = c_void_p()
call("tamis_filter_open", policy, bytes_of_filter,
     c_size_t(len(bytes_of_filter)), byref(filter_))
lib.tamis_policy_destroy(policy)
answers = ctypes.create_string_buffer(20000)
lib.tamis_filter_may_contain_fixed(filter_, numbers, c_size_t(8), c_size_t(8),
                                   c_size_t(20000), answers)
assert answers.raw[:10000] == b"\1" * 10000
assert sum(answers.raw[10000:]) < 300, sum(answers.raw[10000:])
call("tamis_filter_describe", filter_, byref(data), byref(length))
info = json.loads(taken(data, length))
assert info["kind"] == "bloom" and info["keys"] == 10000, info
lib.tamis_filter_destroy(filter_)
damaged = bytes_of_filter[:-1]
refuses("corruption", "tamis_filter_open", None, damaged,
        c_size_t(len(damaged)), byref(filter_))

# A store.
options, store = c_void_p(lib.tamis_options_create()), c_void_p()
call("tamis_options_set", options, b"create_if_missing", b"true", c_size_t(4))
path = (directory + "/store").encode()
call("tamis_store_open", path, options, byref(store))
lib.tamis_options_destroy(options)
batch = c_void_p(lib.tamis_batch_create())
for fruit, colour in ((b"apple", b"red"), (b"banana", b"yellow"),
                      (b"", b"nothing"), (b"a\0b", b"x\0y")):
    call("tamis_batch_put", batch, fruit, c_size_t(len(fruit)), colour,
         c_size_t(len(colour)))
call("tamis_store_write", store, batch, c_int(1))
lib.tamis_batch_destroy(batch)
call("tamis_store_get", store, None, b"a\0b", c_size_t(3), byref(data),
     byref(length))
assert taken(data, length) == b"x\0y"
refuses("not found", "tamis_store_get", store, None, b"cherry", c_size_t(6),
        byref(data), byref(length))
iterator = c_void_p()
call("tamis_iterator_create", store, None, byref(iterator))
lib.tamis_store_close(store)  # the iterator keeps it open
lib.tamis_iterator_seek_to_first(iterator)
keys = []
while lib.tamis_iterator_valid(iterator):
    key = lib.tamis_iterator_key(iterator, byref(length))
    keys.append(string_at(key, length.value))
    lib.tamis_iterator_next(iterator)
call("tamis_iterator_status", iterator)
assert keys == [b"", b"a\0b", b"apple", b"banana"], keys
lib.tamis_iterator_destroy(iterator)
call("tamis_check_store", path, None, byref(data), byref(length))
assert json.loads(taken(data, length))["problems"] == []
call("tamis_destroy_store", path, None)
print("Python's ctypes can use tamis/c.h")
