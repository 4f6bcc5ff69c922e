# The compiler.
CC ?= gcc
CFLAGS := -O2 -Wall \
	-Wextra
override MODE = debug
export PATH := $(PWD)/bin:$(PATH)
CFLAGS += -g
LDFLAGS+=-lm
DATE != date
.DEFAULT_GOAL := all
SRCS = $(wildcard src/*.c)
# Says hello to its argument.
define greet
	@echo "hello $(1)"
	@echo "bye"
endef
.PHONY: all clean
## Build everything.
all: build docs
# Link the program.
build: $(OBJS) | out
	$(CC) $(CFLAGS) -o out/app $(OBJS)
	strip out/app
%.o: %.c
	$(CC) -c $< -o $@
install uninstall: build
	./scripts/$@
out/$(NAME).tar: build
	tar cf $@ out
$(OBJS): config.h
debug: CFLAGS = -O0 -g
debug: build
ifeq ($(OS),Windows_NT)
EXT = .exe
package:
	zip app.zip out/app$(EXT)
else
EXT =
endif
include rules.mk
$(eval $(call greet,world))
clean::
	rm -rf out
# Puts it where the system finds it.
setup:
	cp out/app $(PREFIX)
ifdef DOCS
	cp docs/app.1 $(PREFIX)
endif
