/* layout-test.c: where each field of 1.0 stands, for ever.  Compiled with the header of the tree and with the frozen one; that it
 * compiles is the test.  Fields that are added get lines of their own; a line that is here never changes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include <weir/plugin.h>

#if defined(__LP64__)
#define AT(type, field, offset) \
  _Static_assert (offsetof (struct type, field) == (offset), #type "." #field " was moved")
#define AT_LEAST(type, size) _Static_assert (sizeof (struct type) >= (size), #type " became smaller")
#define EXACTLY(type, size) _Static_assert (sizeof (struct type) == (size), #type " is frozen")

AT (weir_view, struct_size, 0);
AT (weir_view, access, 4);
AT (weir_view, is_dir, 8);
AT (weir_view, flags, 12);
AT (weir_view, host, 16);
AT (weir_view, world, 24);
AT (weir_view, dev, 32);
AT (weir_view, ino, 40);
AT (weir_view, origin, 48);
AT_LEAST (weir_view, 56);

AT (weir_limits, struct_size, 0);
AT (weir_limits, reserved, 4);
AT (weir_limits, processes, 8);
AT (weir_limits, memory, 16);
AT (weir_limits, cpu, 24);
AT (weir_limits, files, 32);
AT (weir_limits, file_size, 40);
AT_LEAST (weir_limits, 48);

AT (weir_policy, struct_size, 0);
AT (weir_policy, mode, 4);
AT (weir_policy, network, 8);
AT (weir_policy, reserved, 12);
AT (weir_policy, promised, 16);
AT (weir_policy, axes, 24);
AT (weir_policy, workspace, 32);
AT (weir_policy, session, 40);
AT (weir_policy, view, 48);
AT (weir_policy, view_count, 56);
AT (weir_policy, limits, 64);
AT_LEAST (weir_policy, 72);

AT (weir_command, struct_size, 0);
AT (weir_command, flags, 4);
AT (weir_command, argv, 8);
AT (weir_command, env, 16);
AT (weir_command, cwd, 24);
AT_LEAST (weir_command, 32);

AT (weir_step, struct_size, 0);
AT (weir_step, kind, 4);
AT (weir_step, flags, 8);
AT (weir_step, path, 16);
AT (weir_step, target, 24);
AT (weir_step, dev, 32);
AT (weir_step, ino, 40);
AT (weir_step, value, 48);
AT (weir_step, fact, 56);
AT (weir_step, reserved, 60);
AT_LEAST (weir_step, 64);

AT (weir_stdio, struct_size, 0);
AT (weir_stdio, kind, 4);
AT (weir_stdio, fd, 16);
AT (weir_stdio, rows, 40);
AT (weir_stdio, columns, 42);
AT_LEAST (weir_stdio, 48);

AT (weir_process, struct_size, 0);
AT (weir_process, reserved, 4);
AT (weir_process, streams, 8);
AT (weir_process, ended, 32);
AT (weir_process, id, 40);
AT (weir_process, handle, 48);
AT_LEAST (weir_process, 56);

AT (weir_exit, struct_size, 0);
AT (weir_exit, kind, 4);
AT (weir_exit, code, 8);
AT (weir_exit, errnum, 12);
AT (weir_exit, step, 16);
AT (weir_exit, flags, 20);
AT (weir_exit, cpu_usec, 24);
AT (weir_exit, max_rss, 32);
AT (weir_exit, detail, 40);
AT_LEAST (weir_exit, 296);

AT (weir_call, struct_size, 0);
AT (weir_call, flags, 4);
AT (weir_call, cancel, 8);
AT (weir_call, deadline_ms, 16);
AT (weir_call, session, 24);
AT (weir_call, facts, 32);
AT_LEAST (weir_call, 40);

AT (weir_host, struct_size, 0);
AT (weir_host, abi_major, 4);
AT (weir_host, abi_minor, 6);
AT (weir_host, log, 8);
AT (weir_host, error_set, 16);
AT (weir_host, error_wrap, 24);
AT (weir_host, error_hint, 32);
AT (weir_host, config_string, 40);
AT (weir_host, config_integer, 48);
AT (weir_host, config_list, 56);
AT (weir_host, config_origin, 64);
AT (weir_host, sink_write, 72);
AT (weir_host, plan_step, 80);
AT (weir_host, plan_runner, 88);
AT (weir_host, plan_argument, 96);
AT (weir_host, plan_fd, 104);
AT (weir_host, plan_supervisor, 112);
AT (weir_host, plan_environment, 120);
AT (weir_host, plan_governs, 128);
AT (weir_host, plan_gap, 136);
AT (weir_host, plan_asserted, 144);
AT (weir_host, plan_denial, 152);
AT (weir_host, plan_failure, 160);
AT (weir_host, plan_informational, 168);
AT (weir_host, fact, 176);
AT (weir_host, find_runner, 184);
AT (weir_host, process_spawn, 192);
AT (weir_host, process_wait, 200);
AT (weir_host, process_signal, 208);
AT (weir_host, process_resize, 216);
AT (weir_host, process_close_stdin, 224);
AT (weir_host, process_release, 232);
AT_LEAST (weir_host, 240);

AT (weir_sandbox_ops, struct_size, 0);
AT (weir_sandbox_ops, reserved, 4);
AT (weir_sandbox_ops, claims, 8);
AT (weir_sandbox_ops, confine, 16);
AT (weir_sandbox_ops, describe, 24);
AT_LEAST (weir_sandbox_ops, 32);

AT (weir_process_ops, struct_size, 0);
AT (weir_process_ops, reserved, 4);
AT (weir_process_ops, steps, 8);
AT (weir_process_ops, find_executable, 16);
AT (weir_process_ops, spawn, 24);
AT (weir_process_ops, wait, 32);
AT (weir_process_ops, signal, 40);
AT (weir_process_ops, resize, 48);
AT (weir_process_ops, close_stdin, 56);
AT (weir_process_ops, release, 64);
AT_LEAST (weir_process_ops, 72);

AT (weir_world_ops, struct_size, 0);
AT (weir_world_ops, flags, 4);
AT (weir_world_ops, process, 8);
AT_LEAST (weir_world_ops, 16);

AT (weir_option, name, 0);
AT (weir_option, type, 8);
AT (weir_option, flags, 12);
AT (weir_option, fallback, 16);
AT (weir_option, help, 24);
EXACTLY (weir_option, 32);

AT (weir_plugin, struct_size, 0);
AT (weir_plugin, abi_major, 4);
AT (weir_plugin, abi_minor, 6);
AT (weir_plugin, name, 8);
AT (weir_plugin, version, 16);
AT (weir_plugin, summary, 24);
AT (weir_plugin, threading, 32);
AT (weir_plugin, reserved, 36);
AT (weir_plugin, options, 40);
AT (weir_plugin, create, 48);
AT (weir_plugin, destroy, 56);
AT (weir_plugin, sandbox, 64);
AT (weir_plugin, world, 72);
AT_LEAST (weir_plugin, 80);
#endif

#define IS(name, value) _Static_assert ((name) == (value), #name " has another value")

IS (WEIR_ABI_MAJOR, 1);
IS (WEIR_OK, 0);
IS (WEIR_E_INVALID, 1);
IS (WEIR_E_NOT_FOUND, 2);
IS (WEIR_E_DENIED, 3);
IS (WEIR_E_UNAVAILABLE, 4);
IS (WEIR_E_UNTRUSTED, 5);
IS (WEIR_E_PLUGIN, 6);
IS (WEIR_E_UNSUPPORTED, 7);
IS (WEIR_E_CONFLICT, 8);
IS (WEIR_E_TIMEOUT, 9);
IS (WEIR_E_CANCELLED, 10);
IS (WEIR_E_NOMEM, 11);
IS (WEIR_E_IO, 12);
IS (WEIR_E_NO_PROGRAM, 13);
IS (WEIR_E_NOT_EXECUTABLE, 14);
IS (WEIR_E_RUNNER, 15);
IS (WEIR_LOG_ERROR, 0);
IS (WEIR_LOG_WARNING, 1);
IS (WEIR_LOG_INFO, 2);
IS (WEIR_LOG_DEBUG, 3);
IS (WEIR_MODE_READ_ONLY, 1);
IS (WEIR_MODE_WORKSPACE_WRITE, 2);
IS (WEIR_MODE_DANGER_FULL_ACCESS, 3);
IS (WEIR_EFFECT_CONTENT, 1);
IS (WEIR_EFFECT_NAMES, 2);
IS (WEIR_EFFECT_METADATA, 4);
IS (WEIR_EFFECT_DEVICES, 8);
IS (WEIR_EFFECT_MOUNTS, 16);
IS (WEIR_EFFECT_SOCKETS, 32);
IS (WEIR_EFFECT_DESCRIPTORS, 64);
IS (WEIR_EFFECT_PROCESSES, 128);
IS (WEIR_EFFECTS_ALL, 255);
IS (WEIR_AXIS_NETWORK_NONE, 65536);
IS (WEIR_AXIS_NETWORK_LOOPBACK, 131072);
IS (WEIR_AXIS_DENY_READ, 262144);
IS (WEIR_AXIS_PROTECT, 524288);
IS (WEIR_AXIS_PRIVATE_TMP, 1048576);
IS (WEIR_AXIS_LIMIT_PROCESSES, 2097152);
IS (WEIR_AXIS_LIMIT_MEMORY, 4194304);
IS (WEIR_AXIS_LIMIT_CPU, 8388608);
IS (WEIR_AXIS_LIMIT_FILES, 16777216);
IS (WEIR_AXIS_LIMIT_FILE_SIZE, 33554432);
IS (WEIR_NETWORK_INHERIT, 0);
IS (WEIR_NETWORK_LOOPBACK, 1);
IS (WEIR_NETWORK_NONE, 2);
IS (WEIR_ACCESS_NONE, 0);
IS (WEIR_ACCESS_READ, 1);
IS (WEIR_ACCESS_WRITE, 2);
IS (WEIR_ACCESS_PIN, 3);
IS (WEIR_VIEW_TMP, 1);
IS (WEIR_VIEW_WORKSPACE, 2);
IS (WEIR_FACT_USER_NAMESPACES, 1);
IS (WEIR_FACT_FRESH_PROC, 2);
IS (WEIR_FACT_LANDLOCK_ABI, 3);
IS (WEIR_FACT_NETWORK_NAMESPACES, 4);
IS (WEIR_FACT_IPC_NAMESPACES, 5);
IS (WEIR_FACT_SECCOMP, 6);
IS (WEIR_FACT_UID, 7);
IS (WEIR_STEP_NAMESPACES, 1);
IS (WEIR_STEP_ROOT_READ_ONLY, 2);
IS (WEIR_STEP_BIND, 3);
IS (WEIR_STEP_TMPFS, 4);
IS (WEIR_STEP_HIDE, 5);
IS (WEIR_STEP_PROC, 6);
IS (WEIR_STEP_DEV, 7);
IS (WEIR_STEP_LANDLOCK_HANDLE, 8);
IS (WEIR_STEP_LANDLOCK_RULE, 9);
IS (WEIR_STEP_LANDLOCK_ENFORCE, 10);
IS (WEIR_STEP_SECCOMP, 11);
IS (WEIR_STEP_NO_NEW_PRIVILEGES, 12);
IS (WEIR_STEP_CAPABILITIES, 13);
IS (WEIR_STEP_LIMIT, 14);
IS (WEIR_STEP_LOOPBACK_UP, 15);
IS (WEIR_STEP_SUPERVISE, 16);
IS (WEIR_NS_MOUNT, 1);
IS (WEIR_NS_PID, 2);
IS (WEIR_NS_IPC, 4);
IS (WEIR_NS_NETWORK, 8);
IS (WEIR_NS_UTS, 16);
IS (WEIR_NS_CGROUP, 32);
IS (WEIR_BIND_READ_ONLY, 1);
IS (WEIR_BIND_OPTIONAL, 2);
IS (WEIR_BIND_DEVICES, 4);
IS (WEIR_BIND_MAKE, 8);
IS (WEIR_OPTIONAL, 1);
IS (WEIR_RULE_INSIDE, 2);
IS (WEIR_SECCOMP_BASE, 1);
IS (WEIR_SECCOMP_SETID_BITS, 2);
IS (WEIR_SECCOMP_METADATA, 4);
IS (WEIR_SECCOMP_UNIX_SOCKETS, 8);
IS (WEIR_SECCOMP_NETWORK, 16);
IS (WEIR_SECCOMP_FAST_OPEN, 32);
IS (WEIR_SECCOMP_OTHERS, 64);
IS (WEIR_FD_STATUS_JSON, 1);
IS (WEIR_FD_SECCOMP, 2);
IS (WEIR_FD_PATH, 3);
IS (WEIR_FD_INIT, 4);
IS (WEIR_FD_REPORT, 5);
IS (WEIR_FD_HARNESS, 7);
IS (WEIR_FD_DATA, 6);
IS (WEIR_STDIO_NULL, 0);
IS (WEIR_STDIO_INHERIT, 1);
IS (WEIR_STDIO_PIPE, 2);
IS (WEIR_STDIO_PTY, 3);
IS (WEIR_EXIT_RUNNING, 0);
IS (WEIR_EXIT_EXITED, 1);
IS (WEIR_EXIT_SIGNALLED, 2);
IS (WEIR_EXIT_NOT_STARTED, 3);
IS (WEIR_EXIT_LOST, 4);
IS (WEIR_EXIT_TREE_GONE, 1);
IS (WEIR_EXIT_FROM_RUNNER, 2);
IS (WEIR_STAGE_CLONE, 101);
IS (WEIR_STAGE_STDIO, 102);
IS (WEIR_STAGE_CWD, 103);
IS (WEIR_STAGE_EXEC, 104);
IS (WEIR_STAGE_RUNNER, 105);
IS (WEIR_STAGE_INIT, 106);
IS (WEIR_SIGNAL_LEADER, 0);
IS (WEIR_SIGNAL_GROUP, 1);
IS (WEIR_SIGNAL_FOREGROUND, 2);
IS (WEIR_SIGNAL_TREE, 3);
IS (WEIR_WORLD_LOCAL, 1);
IS (WEIR_OPT_STRING, 1);
IS (WEIR_OPT_PATH, 2);
IS (WEIR_OPT_BOOLEAN, 3);
IS (WEIR_OPT_SIZE, 4);
IS (WEIR_OPT_DURATION, 5);
IS (WEIR_OPT_INTEGER, 6);
IS (WEIR_OPT_LIST, 7);
IS (WEIR_OPT_CHOICE, 8);
IS (WEIR_OPT_REQUIRED, 1);
IS (WEIR_SERIAL, 0);
IS (WEIR_PARALLEL, 1);

int
main (void)
{
  puts ("1..1\nok 1 - the layout of 1.0");
  return 0;
}
