/* Statements, and what a text consists of. */
#include "reader.h"

static PyObject *block(Reading *r);
static PyObject *compound(Reading *r);
static int simple_statements(Reading *r);

/* ------------------------------------------------------------------------------------------------- small statements */
static PyObject *one_field(Reading *r, int which, const Token *start, PyObject *value) {
    Node *node = mllint_node(r, which, start);
    if (node == NULL) return NULL;
    FIELD(node, 0) = value;
    return (PyObject *)node;
}

static PyObject *without_fields(Reading *r, int which) {
    return (PyObject *)mllint_node(r, which, mllint_next(r));
}

/* May a target be annotated, or stand before `+=`? */
static int is_single(PyObject *target) {
    Kind *kind = KIND(target);
    return (kind == mllint_kinds[N_Name] || kind == mllint_kinds[N_Attribute] || kind == mllint_kinds[N_Subscript]) &&
           mllint_in_context(target, mllint_store);
}

static PyObject *annotated(Reading *r, const Token *start, PyObject *target) {
    if (!is_single(target)) return NULL;
    mllint_next(r);
    PyObject *annotation = mllint_expression(r), *value = NULL;
    if (annotation == NULL) return NULL;
    if (mllint_take(r, EQUAL)) {
        value = mllint_yield_or_star(r);
        if (value == NULL) return NULL;
    }
    Node *node = mllint_node(r, N_AnnAssign, start);
    if (node == NULL) return NULL;
    FIELD(node, 0) = target;
    FIELD(node, 1) = annotation;
    FIELD(node, 2) = value;
    FIELD(node, 3) = PyLong_FromLong(KIND(target) == mllint_kinds[N_Name] && start->kind == T_NAME);
    return (PyObject *)node;
}

static PyObject *augmented(Reading *r, const Token *start, PyObject *target) {
    if (!is_single(target)) return NULL;
    int operator = O_BitOr + mllint_next(r)->kind - VBAR_IS;
    PyObject *value = mllint_yield_or_star(r);
    Node *node = value == NULL ? NULL : mllint_node(r, N_AugAssign, start);
    if (node == NULL) return NULL;
    FIELD(node, 0) = target;
    FIELD(node, 1) = mllint_new(mllint_operators[operator]);
    FIELD(node, 2) = value;
    return (PyObject *)node;
}

/* An expression, or an assignment that begins with one. */
static PyObject *expression_or_assignment(Reading *r) {
    const Token *start = r->at;
    PyObject *value = mllint_yield_or_star(r);
    if (value == NULL) return NULL;
    if (KIND_AT(r) == COLON) return annotated(r, start, value);
    if (KIND_AT(r) >= VBAR_IS && KIND_AT(r) <= DOUBLESTAR_IS) return augmented(r, start, value);
    if (KIND_AT(r) != EQUAL) return one_field(r, N_Expr, start, value);
    Py_ssize_t from = r->stack_count;
    while (mllint_take(r, EQUAL)) {
        if (!mllint_in_context(value, mllint_store) || !mllint_push(r, value)) return NULL;
        value = mllint_yield_or_star(r);
        if (value == NULL) return NULL;
    }
    PyObject *targets = mllint_list(r, from, 1);
    Node *node = targets == NULL ? NULL : mllint_node(r, N_Assign, start);
    if (node == NULL) return NULL;
    FIELD(node, 0) = targets;
    FIELD(node, 1) = value;
    return (PyObject *)node;
}

static PyObject *returned(Reading *r) {
    const Token *start = mllint_next(r);
    PyObject *value = NULL;
    if (mllint_starts_expression(KIND_AT(r)) && (value = mllint_star_expressions(r)) == NULL) return NULL;
    return one_field(r, N_Return, start, value);
}

/* `raise a from b` and `assert a, b`: one expression, and perhaps another one. */
static PyObject *one_or_two(Reading *r, int which, int between, int needed) {
    const Token *start = mllint_next(r);
    PyObject *first = NULL, *second = NULL;
    if (needed || mllint_starts_expression(KIND_AT(r))) {
        first = mllint_expression(r);
        if (first == NULL || (mllint_take(r, between) && (second = mllint_expression(r)) == NULL)) return NULL;
    }
    Node *node = mllint_node(r, which, start);
    if (node == NULL) return NULL;
    FIELD(node, 0) = first;
    FIELD(node, 1) = second;
    return (PyObject *)node;
}

static PyObject *deleted(Reading *r) {
    const Token *start = mllint_next(r);
    Py_ssize_t from = r->stack_count;
    do {
        PyObject *target = mllint_primary(r);
        if (target == NULL || !mllint_in_context(target, mllint_del) || !mllint_push(r, target)) return NULL;
    } while (mllint_take(r, COMMA) && mllint_starts_expression(KIND_AT(r)));
    PyObject *targets = mllint_list(r, from, 1);
    return targets == NULL ? NULL : one_field(r, N_Delete, start, targets);
}

static PyObject *declared(Reading *r, int which) {
    const Token *start = mllint_next(r);
    Py_ssize_t from = r->stack_count;
    do {
        PyObject *name = KIND_AT(r) == T_NAME ? mllint_identifier(r, mllint_next(r)) : NULL;
        if (name == NULL || !mllint_push(r, mllint_new(name))) return NULL;
    } while (mllint_take(r, COMMA));
    PyObject *names = mllint_list(r, from, 1);
    return names == NULL ? NULL : one_field(r, which, start, names);
}

/* --------------------------------------------------------------------------------------------------------- imports */
/* `a.b.c`: one string; with spaces around a dot it is left to Python. */
static PyObject *dotted(Reading *r) {
    const Token *first = r->at;
    do {
        if (KIND_AT(r) != T_NAME) return NULL;
        mllint_next(r);
    } while (mllint_take(r, DOT));
    const Token *last = r->last;
    if (first == last) return mllint_identifier(r, first);
    int length = (int)(last->start + last->length - first->start), expected = 0;
    for (const Token *token = first; token <= last; token++) expected += token->length;
    return length == expected ? mllint_dotted(r, first->start, length) : NULL;
}

static PyObject *alias(Reading *r, const Token *start, PyObject *name) {
    PyObject *renamed = NULL;
    if (name != NULL && mllint_take(r, AS)) {
        renamed = KIND_AT(r) == T_NAME ? mllint_identifier(r, mllint_next(r)) : NULL;
        if (renamed == NULL) return NULL;
    }
    Node *node = name == NULL ? NULL : mllint_node(r, N_alias, start);
    if (node == NULL) return NULL;
    FIELD(node, 0) = mllint_new(name);
    FIELD(node, 1) = renamed == NULL ? NULL : mllint_new(renamed);
    return (PyObject *)node;
}

static PyObject *imported(Reading *r) {
    const Token *start = mllint_next(r);
    Py_ssize_t from = r->stack_count;
    do {
        const Token *here = r->at;
        PyObject *one = alias(r, here, dotted(r));
        if (one == NULL || !mllint_push(r, one)) return NULL;
    } while (mllint_take(r, COMMA));
    PyObject *names = mllint_list(r, from, 1);
    return names == NULL ? NULL : one_field(r, N_Import, start, names);
}

static PyObject *imported_names(Reading *r) {
    Py_ssize_t from = r->stack_count;
    const Token *here = r->at;
    if (mllint_take(r, STAR)) {
        PyObject *all = alias(r, here, mllint_dotted(r, "*", 1));
        return all != NULL && mllint_push(r, all) ? mllint_list(r, from, 1) : NULL;
    }
    int bracket = mllint_take(r, LPAR);
    do {
        here = r->at;
        if (bracket && KIND_AT(r) == RPAR && r->stack_count > from) break;
        PyObject *name = KIND_AT(r) == T_NAME ? mllint_identifier(r, mllint_next(r)) : NULL;
        PyObject *one = alias(r, here, name);
        if (one == NULL || !mllint_push(r, one)) return NULL;
    } while (mllint_take(r, COMMA));
    return bracket && !mllint_take(r, RPAR) ? NULL : mllint_list(r, from, 1);
}

static PyObject *imported_from(Reading *r) {
    const Token *start = mllint_next(r);
    int level = 0;
    for (; KIND_AT(r) == DOT || KIND_AT(r) == ELLIPSIS_; mllint_next(r)) level += KIND_AT(r) == DOT ? 1 : 3;
    PyObject *module = NULL;
    if ((level == 0 || KIND_AT(r) == T_NAME) && (module = dotted(r)) == NULL) return NULL;
    PyObject *names = mllint_take(r, IMPORT) ? imported_names(r) : NULL;
    Node *node = names == NULL ? NULL : mllint_node(r, N_ImportFrom, start);
    if (node == NULL) return NULL;
    FIELD(node, 0) = module == NULL ? NULL : mllint_new(module);
    FIELD(node, 1) = names;
    FIELD(node, 2) = PyLong_FromLong(level);
    return (PyObject *)node;
}

static PyObject *simple(Reading *r) {
    switch (KIND_AT(r)) {
    case RETURN: return returned(r);
    case IMPORT: return imported(r);
    case FROM: return imported_from(r);
    case RAISE: return one_or_two(r, N_Raise, FROM, 0);
    case ASSERT: return one_or_two(r, N_Assert, COMMA, 1);
    case DEL: return deleted(r);
    case GLOBAL: return declared(r, N_Global);
    case NONLOCAL: return declared(r, N_Nonlocal);
    case PASS: return without_fields(r, N_Pass);
    case BREAK: return without_fields(r, N_Break);
    case CONTINUE: return without_fields(r, N_Continue);
    default: return expression_or_assignment(r);
    }
}

/* Simple statements up to the end of the line, pushed. */
static int simple_statements(Reading *r) {
    do {
        PyObject *statement = simple(r);
        if (statement == NULL || !mllint_push(r, statement)) return 0;
    } while (mllint_take(r, SEMI) && KIND_AT(r) != T_NEWLINE);
    return mllint_take(r, T_NEWLINE);
}

/* ----------------------------------------------------------------------------------------------------------- blocks */
static int statement(Reading *r) {
    switch (KIND_AT(r)) {
    case IF: case FOR: case WHILE: case TRY: case WITH: case DEF: case CLASS: case ASYNC: case AT: {
        PyObject *one = compound(r);
        return one != NULL && mllint_push(r, one);
    }
    default: return simple_statements(r);
    }
}

/* `:` and what belongs to it: a list. */
static PyObject *block(Reading *r) {
    Py_ssize_t from = r->stack_count;
    if (!mllint_take(r, COLON) || ++r->depth > MOST_NESTED) return NULL;
    if (!mllint_take(r, T_NEWLINE)) {
        if (!simple_statements(r)) return NULL;
    } else {
        if (!mllint_take(r, T_INDENT)) return NULL;
        while (!mllint_take(r, T_DEDENT))
            if (KIND_AT(r) == T_END || !statement(r)) return NULL;
    }
    r->depth--;
    return mllint_list(r, from, 0);
}

/* What follows `else`, or an empty list. */
static PyObject *otherwise(Reading *r) { return mllint_take(r, ELSE) ? block(r) : mllint_new(mllint_empty); }

static PyObject *condition(Reading *r, int which) {
    const Token *start = mllint_next(r);
    if (++r->depth > MOST_NESTED) return NULL;
    PyObject *test = mllint_named_expression(r);
    PyObject *body = test == NULL ? NULL : block(r), *orelse = NULL;
    if (body != NULL && which == N_If && KIND_AT(r) == ELIF) {
        Py_ssize_t from = r->stack_count;
        PyObject *next = condition(r, N_If);
        orelse = next != NULL && mllint_push(r, next) ? mllint_list(r, from, 1) : NULL;
    } else if (body != NULL) orelse = otherwise(r);
    r->depth--;
    Node *node = orelse == NULL ? NULL : mllint_node(r, which, start);
    if (node == NULL) return NULL;
    FIELD(node, 0) = test;
    FIELD(node, 1) = body;
    FIELD(node, 2) = orelse;
    return (PyObject *)node;
}

static PyObject *loop(Reading *r, const Token *start, int is_async) {
    mllint_next(r);
    PyObject *target = mllint_targets(r);
    PyObject *iterable = target == NULL || !mllint_take(r, IN) ? NULL : mllint_star_expressions(r);
    PyObject *body = iterable == NULL ? NULL : block(r);
    PyObject *orelse = body == NULL ? NULL : otherwise(r);
    Node *node = orelse == NULL ? NULL : mllint_node(r, is_async ? N_AsyncFor : N_For, start);
    if (node == NULL) return NULL;
    FIELD(node, 0) = target;
    FIELD(node, 1) = iterable;
    FIELD(node, 2) = body;
    FIELD(node, 3) = orelse;
    return (PyObject *)node;
}

static PyObject *handler(Reading *r) {
    const Token *start = mllint_next(r);
    PyObject *type = NULL, *name = NULL;
    if (KIND_AT(r) != COLON) {
        type = mllint_expression(r); /* of `except* x` nothing begins here */
        if (type == NULL) return NULL;
        if (mllint_take(r, AS)) {
            name = KIND_AT(r) == T_NAME ? mllint_identifier(r, mllint_next(r)) : NULL;
            if (name == NULL) return NULL;
        }
    }
    PyObject *body = block(r);
    Node *node = body == NULL ? NULL : mllint_node(r, N_ExceptHandler, start);
    if (node == NULL) return NULL;
    FIELD(node, 0) = type;
    FIELD(node, 1) = name == NULL ? NULL : mllint_new(name);
    FIELD(node, 2) = body;
    return (PyObject *)node;
}

static PyObject *guarded(Reading *r) {
    const Token *start = mllint_next(r);
    PyObject *body = block(r);
    if (body == NULL) return NULL;
    Py_ssize_t from = r->stack_count;
    while (KIND_AT(r) == EXCEPT) {
        PyObject *one = handler(r);
        if (one == NULL || !mllint_push(r, one)) return NULL;
    }
    int handled = r->stack_count > from;
    PyObject *handlers = mllint_list(r, from, 1);
    PyObject *orelse = handlers == NULL ? NULL : handled ? otherwise(r) : mllint_new(mllint_empty);
    if (orelse == NULL || (!handled && KIND_AT(r) != FINALLY)) return NULL;
    PyObject *last = mllint_take(r, FINALLY) ? block(r) : mllint_new(mllint_empty);
    Node *node = last == NULL ? NULL : mllint_node(r, N_Try, start);
    if (node == NULL) return NULL;
    FIELD(node, 0) = body;
    FIELD(node, 1) = handlers;
    FIELD(node, 2) = orelse;
    FIELD(node, 3) = last;
    return (PyObject *)node;
}

/* ------------------------------------------------------------------------------------------------------------- with */
static PyObject *item(Reading *r) {
    PyObject *context = mllint_expression(r), *target = NULL;
    if (context == NULL) return NULL;
    if (mllint_take(r, AS)) {
        target = mllint_target(r);
        if (target == NULL || (KIND_AT(r) != COMMA && KIND_AT(r) != RPAR && KIND_AT(r) != COLON)) return NULL;
    }
    Node *node = mllint_node(r, N_withitem, r->at);
    if (node == NULL) return NULL;
    FIELD(node, 0) = context;
    FIELD(node, 1) = target;
    return (PyObject *)node;
}

/* The items, pushed: up to `:`, or up to the bracket before it. */
static int items(Reading *r, int bracket) {
    do {
        if (bracket && KIND_AT(r) == RPAR) break;
        PyObject *one = item(r);
        if (one == NULL || !mllint_push(r, one)) return 0;
    } while (mllint_take(r, COMMA));
    return (!bracket || mllint_take(r, RPAR)) && KIND_AT(r) == COLON;
}

static PyObject *with(Reading *r, const Token *start, int is_async) {
    mllint_next(r);
    Py_ssize_t from = r->stack_count, made = r->made_count;
    const Token *at = r->at, *last = r->last;
    int depth = r->depth, found = 0;
    if (mllint_take(r, LPAR)) { /* the bracket may be one around all items, or one of the first */
        found = KIND_AT(r) != RPAR && items(r, 1);
        if (!found) {
            mllint_discard(r, made);
            r->stack_count = from;
            r->at = at;
            r->last = last;
            r->depth = depth;
        }
    }
    if (!found && !items(r, 0)) return NULL;
    PyObject *list = mllint_list(r, from, 1);
    PyObject *body = list == NULL ? NULL : block(r);
    Node *node = body == NULL ? NULL : mllint_node(r, is_async ? N_AsyncWith : N_With, start);
    if (node == NULL) return NULL;
    FIELD(node, 0) = list;
    FIELD(node, 1) = body;
    return (PyObject *)node;
}

/* ------------------------------------------------------------------------------------------- functions and classes */
/* A Python with type parameters has a list of them; there are none. */
static void close_fields(Node *node, Py_ssize_t known) {
    for (Py_ssize_t i = known; i < KIND(node)->count; i++) FIELD(node, i) = mllint_new(mllint_empty);
}

static PyObject *function(Reading *r, const Token *start, PyObject *decorators, int is_async) {
    mllint_next(r);
    PyObject *name = KIND_AT(r) == T_NAME ? mllint_identifier(r, mllint_next(r)) : NULL, *returns = NULL, *body = NULL;
    if (name == NULL) return NULL;
    PyObject *parameters = mllint_take(r, LPAR) ? mllint_parameters(r, RPAR, 1) : NULL;
    if (parameters == NULL || !mllint_take(r, RPAR)) return NULL;
    if (mllint_take(r, ARROW) && (returns = mllint_expression(r)) == NULL) return NULL;
    body = block(r);
    Node *node = body == NULL ? NULL : mllint_node(r, is_async ? N_AsyncFunctionDef : N_FunctionDef, start);
    if (node == NULL) return NULL;
    FIELD(node, 0) = mllint_new(name);
    FIELD(node, 1) = parameters;
    FIELD(node, 2) = body;
    FIELD(node, 3) = decorators;
    FIELD(node, 4) = returns;
    close_fields(node, 6);
    return (PyObject *)node;
}

static PyObject *class(Reading *r, const Token *start, PyObject *decorators) {
    mllint_next(r);
    PyObject *name = KIND_AT(r) == T_NAME ? mllint_identifier(r, mllint_next(r)) : NULL;
    PyObject *bases = NULL, *keywords = NULL;
    if (name == NULL) return NULL;
    if (mllint_take(r, LPAR)) {
        if (!mllint_class_arguments(r, &bases, &keywords)) return NULL;
    } else {
        bases = mllint_new(mllint_empty);
        keywords = mllint_new(mllint_empty);
    }
    PyObject *body = block(r);
    Node *node = body == NULL ? NULL : mllint_node(r, N_ClassDef, start);
    if (node == NULL) return NULL;
    FIELD(node, 0) = mllint_new(name);
    FIELD(node, 1) = bases;
    FIELD(node, 2) = keywords;
    FIELD(node, 3) = body;
    FIELD(node, 4) = decorators;
    close_fields(node, 5);
    return (PyObject *)node;
}

static PyObject *definition(Reading *r, PyObject *decorators) {
    const Token *start = r->at;
    if (KIND_AT(r) == CLASS) return class(r, start, decorators);
    int is_async = mllint_take(r, ASYNC);
    return KIND_AT(r) == DEF ? function(r, start, decorators, is_async) : NULL;
}

static PyObject *decorated(Reading *r) {
    Py_ssize_t from = r->stack_count;
    while (mllint_take(r, AT)) {
        PyObject *one = mllint_named_expression(r);
        if (one == NULL || !mllint_push(r, one) || !mllint_take(r, T_NEWLINE)) return NULL;
    }
    PyObject *decorators = mllint_list(r, from, 1);
    return decorators == NULL ? NULL : definition(r, decorators);
}

static PyObject *compound(Reading *r) {
    const Token *start = r->at;
    switch (KIND_AT(r)) {
    case IF: return condition(r, N_If);
    case WHILE: return condition(r, N_While);
    case TRY: return guarded(r);
    case AT: return decorated(r);
    case FOR: return loop(r, start, 0);
    case WITH: return with(r, start, 0);
    case ASYNC:
        if (r->at[1].kind != FOR && r->at[1].kind != WITH) return definition(r, mllint_new(mllint_empty));
        mllint_next(r);
        return KIND_AT(r) == FOR ? loop(r, start, 1) : with(r, start, 1);
    default: return definition(r, mllint_new(mllint_empty));
    }
}

PyObject *mllint_module(Reading *r) {
    while (KIND_AT(r) != T_END)
        if (!statement(r)) return NULL;
    PyObject *body = mllint_list(r, 0, 0);
    Node *node = body == NULL ? NULL : mllint_node(r, N_Module, r->at);
    if (node == NULL) return NULL;
    FIELD(node, 0) = body;
    FIELD(node, 1) = mllint_new(mllint_empty);
    return (PyObject *)node;
}
