#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes configure from configure.ac.  Run it in a fresh checkout, and after adding a file (it refreshes the file lists).
set -eu
cd "$(dirname "$0")"
tools/sources.sh
mkdir -p m4
exec autoreconf --install --force
