#!/usr/bin/env bash
# Sells things.
set -euo pipefail

# How many.
readonly MAX_ITEMS=100
declare -r LIMIT=3
declare -A PRICES=([a]=1)
export SHOP_HOME="${HOME}/shop"
typeset -i counter=0
current=1
names=(a b c)
PATH+=":/opt"
FIRST=1 SECOND=2
alias ll='ls -l'
SHOP_DEBUG=1 run_it --now

# Adds an item.
# $1: the item
function add_item() {
  local item=$1
  count=2
  inner() { echo; }
  echo "$item"
}

function no_parens {
  echo
}

total () (
  cd /tmp
)

shop::list() { echo; }
nvm-echo() { echo; }
_private.dotted() { echo; }

if [ -n "$1" ]; then
  MODE=fast
  conditional() {
    echo
  }
fi

case "$1" in
  start) add_item x ;;
esac

usage() {
  cat <<EOF
inside() { not a function }
EOF
}
