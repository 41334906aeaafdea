# The tests: unit tests per room, fuzz targets, system tests, and the runner.

# A source that is gone must not stop a tree that was built with it.
regress/%.c: ;
%_test.d %_bench.d: ;

# ---- unit tests: regress/ROOM/NAME_test.c, linked with ROOM's objects ----

# The fixtures are compiled into each test: a test is as old as they are.
define test_rules
FIXTURE_$(1) :=	$$(wildcard regress/$(1)/*.h) $$(filter-out \
		%_test.c %_bench.c,$$(wildcard regress/$(1)/*.c))
TESTS_$(1) :=	$$(patsubst regress/$(1)/%.c,$(B)/regress/$(1)/%,\
		$$(wildcard regress/$(1)/*_test.c))
$(B)/regress/$(1)/%: regress/$(1)/%.c regress/test.h $$(FIXTURE_$(1)) \
    $$(FAKE_$(1)) $$(TEST_OBJ_$(1)) $(B)/libcommon.a
	@mkdir -p $$(@D)
	$$(call say,cc,$$<)
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(CFLAGS_$(1)) -I$(2) -Iregress -MMD -MP \
	    $$(ALL_LDFLAGS) -o $$@ $$< $$(filter %.c,$$(FIXTURE_$(1))) \
	    $$(FAKE_$(1)) $$(TEST_OBJ_$(1)) $(B)/libcommon.a \
	    $$(LIBS_$(1)) $$(BASE_LIBS)
-include $$(TESTS_$(1):=.d)
endef
TEST_OBJ_supervisor = $(LIBOBJ_supervisor)
TEST_OBJ_warden =	$(LIBOBJ_warden)
# Where cgroups go is the launcher's to find, and what is tested in them ours.
FAKE_warden =		$(B)/launcher/launcher/trees.o \
			$(B)/launcher/launcher/trees_dir.o \
			$(B)/launcher/launcher/userns.o \
			$(B)/launcher/launcher/idmap.o
TEST_OBJ_launcher =	$(LIBOBJ_launcher)
TEST_OBJ_reader =	$(LIBOBJ_reader)
TEST_OBJ_errand =	$(LIBOBJ_errand)
TEST_OBJ_broker =	$(LIBOBJ_broker)
TEST_OBJ_keeper =	$(LIBOBJ_keeper)
TEST_OBJ_gateway =	$(LIBOBJ_gateway)
TEST_OBJ_wfsupctl =	$(LIBOBJ_wfsupctl)
TEST_OBJ_tool =		$(LIBOBJ_tool)
TEST_OBJ_jail =		$(LIBOBJ_script)
LIBS_jail =		$(LIBS_script)
CFLAGS_jail =		$(CFLAGS_script)
# Attackers: linked with a jail's own steps, driven as the jail's tests are.
TEST_OBJ_escape =	$(LIBOBJ_script)
FAKE_escape =		regress/jail/fake_driver.c
LIBS_escape =		$(LIBS_script)
CFLAGS_escape =		$(CFLAGS_script) -Iregress/jail
TEST_OBJ_tool_escape =	$(LIBOBJ_tool)
FAKE_tool_escape =	regress/jail/fake_driver.c \
			$(wildcard regress/escape/fake*.c)
CFLAGS_tool_escape =	-Iregress/jail -Iregress/escape
$(eval $(call test_rules,common,common))
$(eval $(call test_rules,supervisor,supervisor))
$(eval $(call test_rules,warden,warden))
$(eval $(call test_rules,launcher,launcher))
$(eval $(call test_rules,reader,reader))
$(eval $(call test_rules,errand,errand))
$(eval $(call test_rules,broker,broker))
$(eval $(call test_rules,keeper,keeper))
$(eval $(call test_rules,gateway,gateway))
$(eval $(call test_rules,wfsupctl,wfsupctl))
$(eval $(call test_rules,tool,jail/tool))
$(eval $(call test_rules,jail,jail))
$(eval $(call test_rules,escape,jail))
$(eval $(call test_rules,tool_escape,jail))
TEST_DIRS =	common supervisor launcher reader warden errand broker keeper gateway \
		wfsupctl tool jail escape tool_escape
TESTS =		$(foreach d,$(TEST_DIRS),$(TESTS_$(d)))

# ---- bench: regress/bench/NAME_bench.c, against floors of the same run ----

TEST_OBJ_bench =	$(LIBOBJ_script)
FAKE_bench =		regress/jail/fake_driver.c
LIBS_bench =		$(LIBS_script)
CFLAGS_bench =		$(CFLAGS_script) -Iregress/jail
$(eval $(call test_rules,bench,jail))
BENCHES =	$(patsubst regress/%.c,$(B)/regress/%,\
		$(wildcard regress/bench/*_bench.c))
-include $(BENCHES:=.d)
.PHONY: bench
bench:
	@etc/need bench
	@$(MAKE) --no-print-directory -j$$(nproc) all $(BENCHES)
	@B=$(B) regress/bench/run

.PHONY: tests
tests: all $(TESTS)

# ---- everything: what is needed is installed, then all of regress/ ----

.PHONY: check
check:
	@etc/need check
	@$(MAKE) --no-print-directory -j$$(nproc) tests
	@B=$(B) regress/run

# In a guest that VMRUN boots: another kernel, cgroups version 2, a service
# manager. T="NAME..." chooses, VM_JOBS=N has N guests at once. Without VMRUN it
# is one skip.
VMRUN ?=	$(CURDIR)/../shared/vm/vmrun
.PHONY: check-vm
check-vm:
	@etc/need check
	@$(MAKE) --no-print-directory -j$$(nproc) tests
	@B=$(B) VMRUN="$(VMRUN)" regress/vm/check $(T)

.PHONY: asan
SANFLAGS =	-fsanitize=address,undefined -fno-sanitize-recover=all \
		-fno-omit-frame-pointer
asan:
	@etc/need check
	@$(MAKE) --no-print-directory -j$$(nproc) B=build-asan OPT="-O1 -g" \
	    SAN="$(SANFLAGS)" HARDEN="-fPIE" tests
	@B=build-asan ASAN_OPTIONS=detect_leaks=0:abort_on_error=0 \
	    UBSAN_OPTIONS=print_stacktrace=1 regress/run

# ---- fuzz: regress/fuzz/NAME_fuzz.c; "ROOM: name" in its first line ----

FUZZ_SECONDS ?=	20
FUZZ_FLAGS =	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
FUZZERS :=	$(wildcard regress/fuzz/*_fuzz.c)
.PHONY: fuzz
fuzz:
	@etc/need fuzz
	@FUZZ_SECONDS=$(FUZZ_SECONDS) regress/fuzz/run

# A room's sources with the fuzzer's instrumentation: make fuzz-one T=sse
fuzz_room =	$(shell sed -n '1s/.*ROOM: *\([a-z]*\).*/\1/p' \
		regress/fuzz/$(T)_fuzz.c)
fuzz_dir =	$(if $(filter tool,$(fuzz_room)),jail/tool,$(fuzz_room))
.PHONY: fuzz-one
fuzz-one: $(B)/gen/.done $(B)/gen/parse.c
	@mkdir -p build-fuzz
	clang $(STD) -O1 -g $(FUZZ_FLAGS) -Icommon -I$(B)/gen \
	    $(if $(fuzz_dir),-I$(fuzz_dir)) $(CFLAGS_$(fuzz_room)) \
	    -o build-fuzz/$(T)_fuzz regress/fuzz/$(T)_fuzz.c \
	    $(COMMON_SRC) $(if $(filter reader,$(fuzz_room)),$(B)/gen/parse.c) \
	    $(filter-out %/main.c,$(SRC_$(fuzz_room))) \
	    $(LIBS_$(fuzz_room)) $(BASE_LIBS)

# ---- lint: both compilers, static analysis, manual pages ----

.PHONY: lint
lint:
	@etc/need lint
	@regress/lint
