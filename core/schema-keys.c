/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "core/schema.h"

#include "core/defaults.h"

static const struct schema_choice schema_modes[] = {
  { "read-only", WEIR_MODE_READ_ONLY },
  { "workspace-write", WEIR_MODE_WORKSPACE_WRITE },
  { "danger-full-access", WEIR_MODE_DANGER_FULL_ACCESS },
  { NULL, 0 },
};
static const struct schema_choice schema_require[] = { { "any", 0 }, { "full", 1 }, { NULL, 0 } };
static const struct schema_choice schema_networks[] = {
  { "inherit", WEIR_NETWORK_INHERIT },
  { "loopback", WEIR_NETWORK_LOOPBACK },
  { "none", WEIR_NETWORK_NONE },
  { NULL, 0 },
};
static const struct schema_choice schema_tmp[] = { { "private", 1 }, { "host", 0 }, { NULL, 0 } };

/* Where keys, tokens and browsers' secrets usually lie.  Files that builds cannot do without (Maven's and Gradle's
 * settings) are not here although they may hold tokens.  weir.conf(5) and data/weir.conf name the same.  */
#define SCHEMA_DENY_READ                                                                                            \
  "~/.ssh,~/.gnupg,~/.aws,~/.azure,~/.kube,~/.oci,~/.config/gcloud,~/.config/doctl,~/.config/hcloud,"                \
  "~/.config/rclone,~/.s3cfg,~/.boto,~/.databrickscfg,~/.docker/config.json,~/.config/containers/auth.json,"        \
  "~/.netrc,~/.git-credentials,~/.config/git/credentials,~/.config/gh,~/.config/glab-cli,~/.config/hub,"            \
  "~/.npmrc,~/.yarnrc.yml,~/.pypirc,~/.cargo/credentials,~/.cargo/credentials.toml,~/.gem/credentials,"             \
  "~/.composer/auth.json,~/.config/composer/auth.json,~/.terraformrc,~/.terraform.d/credentials.tfrc.json,"         \
  "~/.vault-token,~/.config/op,~/.config/sops,~/.config/age,~/.pgpass,~/.my.cnf,~/.mylogin.cnf,"                    \
  "~/.huggingface,~/.cache/huggingface/token,~/.kaggle,~/.claude/.credentials.json,~/.codex/auth.json,"             \
  "~/.gemini/oauth_creds.json,~/.password-store,~/.local/share/keyrings,~/.local/share/kwalletd,"                   \
  "~/.mozilla,~/.thunderbird,~/.config/google-chrome,~/.config/chromium,~/.config/BraveSoftware,"                   \
  "~/.config/microsoft-edge,"                                                                                       \
  "/etc/shadow,/etc/shadow-,/etc/gshadow,/etc/gshadow-,/etc/sudoers,/etc/sudoers.d,/etc/ssl/private,"               \
  "/etc/ssh/ssh_host_rsa_key,/etc/ssh/ssh_host_ecdsa_key,/etc/ssh/ssh_host_ed25519_key,/etc/krb5.keytab,"           \
  "/etc/wireguard,/etc/NetworkManager/system-connections,/run/secrets"

/* What programs need to find themselves, speak the user's language and draw on the terminal; nothing that usually holds
 * a secret, and nothing that makes a program load code.  */
#define SCHEMA_ENV                                                                                                  \
  "PATH,HOME,USER,LOGNAME,SHELL,LANG,LANGUAGE,LC_*,TZ,TERM,COLORTERM,NO_COLOR,CLICOLOR,CLICOLOR_FORCE,FORCE_COLOR," \
  "COLUMNS,LINES,EDITOR,VISUAL,PAGER,SOURCE_DATE_EPOCH"

#define AT(field) offsetof (struct settings, field)
#define MINUTE 60000u
#define KIB UINT64_C (1024)
#define ANY INT64_MAX

const struct schema_key schema_keys[] = {
  { "world", SCHEMA_NAME, WEIR_DEFAULT_WORLD, AT (world), AT (world_origin), 0, 0, 0, NULL, 0 },
  { "state_dir", SCHEMA_PATH, NULL, AT (state_dir), 0, 0, 0, 0, NULL, 0 },
  { "plugin_dir", SCHEMA_PATH, WEIR_PLUGIN_DIR, AT (plugin_dir), 0, 0, 0, 0, NULL, 0 },
  { "sandbox.mode", SCHEMA_CHOICE, "read-only", AT (mode), AT (mode_origin), 0, 0, 0, schema_modes, 0 },
  { "sandbox.chain", SCHEMA_LIST, WEIR_DEFAULT_CHAIN, AT (chain), 0, 0, 0, SCHEMA_NOT_EMPTY, NULL, SCHEMA_ITEM_NAME },
  { "sandbox.require", SCHEMA_CHOICE, "any", AT (require_full), AT (require_origin), 0, 0, 0, schema_require, 0 },
  { "sandbox.probe_timeout", SCHEMA_DURATION, "5s", AT (probe_timeout_ms), 0, 1, 10 * MINUTE, 0, NULL, 0 },
  { "sandbox.roots", SCHEMA_LIST, "", AT (roots), 0, 0, 0, 0, NULL, SCHEMA_ITEM_PATH },
  { "sandbox.caches", SCHEMA_LIST, "", AT (caches), 0, 0, 0, 0, NULL, SCHEMA_ITEM_CACHE },
  { "sandbox.protect", SCHEMA_LIST, "", AT (protect), 0, 0, 0, 0, NULL, SCHEMA_ITEM_INSIDE },
  { "sandbox.deny_read", SCHEMA_LIST, SCHEMA_DENY_READ, AT (deny_read), 0, 0, 0, 0, NULL, SCHEMA_ITEM_PATH },
  { "sandbox.network", SCHEMA_CHOICE, "inherit", AT (network), AT (network_origin), 0, 0, 0, schema_networks, 0 },
  { "sandbox.tmp", SCHEMA_CHOICE, "private", AT (private_tmp), AT (tmp_origin), 0, 0, 0, schema_tmp, 0 },
  { "sandbox.env", SCHEMA_LIST, SCHEMA_ENV, AT (env), 0, 0, 0, 0, NULL, SCHEMA_ITEM_VARIABLE },
  { "sandbox.grace", SCHEMA_DURATION, "3s", AT (grace_ms), 0, 1, 10 * MINUTE, SCHEMA_ZERO, NULL, 0 },
  /* In the order of limits_origin.  4194304: PID_MAX_LIMIT of the kernel, and NR_OPEN's usual ceiling is 1048576.  */
  { "sandbox.limits.processes", SCHEMA_COUNT, "512", AT (limit_processes), AT (limits_origin[0]), 1, 4194304,
    SCHEMA_ZERO | SCHEMA_NONE, NULL, 0 },
  { "sandbox.limits.memory", SCHEMA_SIZE, "none", AT (limit_memory), AT (limits_origin[1]), KIB * KIB, ANY,
    SCHEMA_ZERO | SCHEMA_NONE, NULL, 0 },
  { "sandbox.limits.cpu", SCHEMA_SECONDS, "none", AT (limit_cpu), AT (limits_origin[2]), 1, ANY,
    SCHEMA_ZERO | SCHEMA_NONE, NULL, 0 },
  { "sandbox.limits.files", SCHEMA_COUNT, "none", AT (limit_files), AT (limits_origin[3]), 16, 1048576,
    SCHEMA_ZERO | SCHEMA_NONE, NULL, 0 },
  { "sandbox.limits.file_size", SCHEMA_SIZE, "none", AT (limit_file_size), AT (limits_origin[4]), 1, ANY,
    SCHEMA_ZERO | SCHEMA_NONE, NULL, 0 },
  { "sandbox.limits.wall", SCHEMA_DURATION, "none", AT (wall_ms), 0, 1, ANY, SCHEMA_ZERO | SCHEMA_NONE, NULL, 0 },
  { "sandbox.limits.output", SCHEMA_SIZE, "1M", AT (output_limit), 0, KIB, KIB * KIB * KIB, 0, NULL, 0 },
  { "sandbox.limits.spill", SCHEMA_SIZE, "256M", AT (spill_limit), 0, 1, ANY, SCHEMA_ZERO, NULL, 0 },
  { NULL, 0, NULL, 0, 0, 0, 0, 0, NULL, 0 },
};
