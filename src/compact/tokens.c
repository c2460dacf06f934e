/* A text in tokens, as CPython's tokenizer cuts it; whatever is unusual is left to that one. */
#include "reader.h"
#include <string.h>

static const char *keywords[] = {"False", "None",   "True",     "and",   "as",       "assert", "async",  "await", "break",
                                 "class", "continue", "def",    "del",   "elif",     "else",   "except", "finally", "for",
                                 "from",  "global", "if",       "import", "in",      "is",     "lambda", "nonlocal", "not",
                                 "or",    "pass",   "raise",    "return", "try",     "while",  "with",   "yield"};

typedef struct {
    Reading *r;
    const char *at, *end;   /* where we are; where the text ends */
    const char *line_start; /* of the physical line */
    int line;
    int indents[MOST_NESTED + 1], alternative[MOST_NESTED + 1]; /* columns with tabs of eight, and of one */
    int indent;                                                 /* how many of these hold */
    char brackets[MOST_NESTED];
    int nested;
} Cutter;

int mllint_grown(void *array, Py_ssize_t count, Py_ssize_t *room, size_t size) {
    if (count < *room) return 1;
    Py_ssize_t wanted = *room == 0 ? 256 : *room * 2;
    void *larger = PyMem_Realloc(*(void **)array, (size_t)wanted * size);
    if (larger == NULL) return 0;
    *(void **)array = larger;
    *room = wanted;
    return 1;
}

static Token *added(Cutter *c, int kind, const char *start, int length) {
    Reading *r = c->r;
    if (!mllint_grown(&r->tokens, r->count, &r->room, sizeof(Token))) return NULL;
    Token *token = &r->tokens[r->count++];
    token->start = start;
    token->length = length;
    token->line = token->end_line = c->line;
    token->col = (int)(start - c->line_start);
    token->end_col = token->col + length;
    token->kind = (unsigned char)kind;
    token->how = 0;
    token->given = 0;
    return token;
}

static inline int is_letter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static inline int is_digit(int c) { return c >= '0' && c <= '9'; }

/* ------------------------------------------------------------------------------------------------ indentation */
/* Spaces at the beginning of a line, and the tokens that they stand for. -1: leave the text; 0: an empty line, which was
   read; 1: a statement begins here. */
static int indentation(Cutter *c) {
    int col = 0, other = 0;
    for (;; c->at++) {
        if (*c->at == ' ') col++, other++;
        else if (*c->at == '\t') col = (col / 8 + 1) * 8, other++;
        else if (*c->at == '\f') col = other = 0;
        else break;
    }
    if (*c->at == '#')
        while (c->at < c->end && *c->at != '\n') c->at++;
    if (*c->at == '\n') {
        c->line_start = ++c->at;
        c->line++;
        return 0;
    }
    if (c->at >= c->end) return 0;
    if (*c->at == '\\') return -1;
    if (col == c->indents[c->indent]) return other == c->alternative[c->indent] ? 1 : -1;
    if (col > c->indents[c->indent]) {
        if (other <= c->alternative[c->indent] || c->indent + 1 >= MOST_NESTED) return -1;
        c->indents[++c->indent] = col;
        c->alternative[c->indent] = other;
        return added(c, T_INDENT, c->at, 0) == NULL ? -1 : 1;
    }
    while (c->indent > 0 && col < c->indents[c->indent]) {
        c->indent--;
        if (added(c, T_DEDENT, c->at, 0) == NULL) return -1;
    }
    return col == c->indents[c->indent] && other == c->alternative[c->indent] ? 1 : -1;
}

/* ---------------------------------------------------------------------------------------------- words, numbers */
static int keyword(const char *start, int length) {
    if (length < 2 || length > 8) return T_NAME;
    for (size_t i = start[0] < 'a' ? 0 : 3; i < sizeof(keywords) / sizeof(*keywords); i++) {
        const char *known = keywords[i];
        if (known[0] == start[0] && known[1] == start[1] && strncmp(known, start, (size_t)length) == 0 &&
            known[length] == 0)
            return FALSE_ + (int)i;
    }
    return T_NAME;
}

/* 0, or the flags of a prefix of a string, plus 128. */
static int prefix(const char *start, const char *end) {
    int how = 128, raw = 0, bytes = 0, format = 0, plain = 0;
    for (const char *at = start; at < end; at++) {
        switch (*at | 0x20) {
        case 'r': raw++; break;
        case 'b': bytes++; break;
        case 'f': format++; break;
        case 'u': plain++; break;
        default: return 0;
        }
    }
    if (raw > 1 || bytes > 1 || format > 1 || bytes + format + plain > 1 || (plain && raw)) return 0;
    if (raw) how |= S_RAW;
    if (bytes) how |= S_BYTES;
    if (format || plain) how |= S_ASKED;
    return how;
}

/* A string from its quote on. */
static int string(Cutter *c, const char *start, int how) {
    char quote = *c->at;
    int line = c->line;
    const char *line_start = c->line_start;
    int quotes = c->at[1] == quote && c->at[2] == quote ? 3 : 1;
    const char *at = c->at + quotes;
    int opening = (int)(at - start);
    for (;; at++) {
        if (at >= c->end) return 0;
        if (*at == quote && (quotes == 1 || (at[1] == quote && at[2] == quote))) break;
        if (*at == '\\') {
            how |= S_ESCAPES;
            if (++at >= c->end) return 0;
        } else if (*at == '\n' && quotes == 1) return 0;
        if (*at == '\n') {
            line++;
            line_start = at + 1;
        }
    }
    at += quotes;
    Token *token = added(c, T_STRING, start, (int)(at - start));
    if (token == NULL) return 0;
    c->at = at;
    c->line = token->end_line = line;
    c->line_start = line_start;
    token->end_col = (int)(at - line_start);
    token->how = (unsigned char)(how & ~128);
    token->opening = (unsigned char)opening;
    token->quotes = (unsigned char)quotes;
    return 1;
}

static int word(Cutter *c) {
    const char *start = c->at;
    while (is_letter(*c->at) || is_digit(*c->at)) c->at++;
    int length = (int)(c->at - start);
    if ((*c->at == '"' || *c->at == '\'') && length <= 2) {
        int how = prefix(start, c->at);
        if (how) return string(c, start, how);
    }
    if (*c->at == '"' || *c->at == '\'' || (unsigned char)*c->at >= 128) return 0;
    return added(c, keyword(start, length), start, length) != NULL;
}

static const char *digits(const char *at) {
    while (is_digit(*at) || (*at == '_' && is_digit(at[-1]) && is_digit(at[1]))) at++;
    return at;
}

static int number(Cutter *c) {
    const char *start = c->at, *at = start;
    int other = at[1] | 0x20;
    if (*at == '0' && (other == 'x' || other == 'o' || other == 'b')) {
        for (at += 2; other == 'x' ? is_digit(*at) || ((*at | 0x20) >= 'a' && (*at | 0x20) <= 'f')
                                   : *at >= '0' && *at <= (other == 'o' ? '7' : '1');)
            at++;
        if (at == start + 2) return 0;
    } else {
        at = digits(at);
        int whole = at > start && *at != '.' && (*at | 0x20) != 'e' && (*at | 0x20) != 'j';
        if (whole && *start == '0')
            for (const char *zero = start; zero < at; zero++)
                if (*zero != '0') return 0;
        if (*at == '.') at = is_digit(at[1]) ? digits(at + 1) : at + 1;
        if ((*at | 0x20) == 'e') {
            at += at[1] == '+' || at[1] == '-' ? 2 : 1;
            if (!is_digit(*at)) return 0;
            at = digits(at);
        }
        if ((*at | 0x20) == 'j') at++;
    }
    if (is_letter(*at) || is_digit(*at) || (unsigned char)*at >= 128) return 0;
    c->at = at;
    return added(c, T_NUMBER, start, (int)(at - start)) != NULL;
}

/* ---------------------------------------------------------------------------------------------------- operators */
static int one(int c) {
    switch (c) {
    case '(': return LPAR;
    case ')': return RPAR;
    case '[': return LSQB;
    case ']': return RSQB;
    case '{': return LBRACE;
    case '}': return RBRACE;
    case ':': return COLON;
    case ',': return COMMA;
    case ';': return SEMI;
    case '.': return DOT;
    case '=': return EQUAL;
    case '~': return TILDE;
    case '|': return VBAR;
    case '^': return CARET;
    case '&': return AMPER;
    case '+': return PLUS;
    case '-': return MINUS;
    case '*': return STAR;
    case '/': return SLASH;
    case '%': return PERCENT;
    case '@': return AT;
    case '<': return LESS;
    case '>': return GREATER;
    default: return 0;
    }
}

static int operator(Cutter *c) {
    const char *at = c->at;
    int kind = one(*at), length = 1;
    if (*at == '!' && at[1] == '=') kind = DIFFERS, length = 2;
    if (kind == 0 || (*at == '<' && at[1] == '>')) return 0;
    if (*at == '.' && at[1] == '.' && at[2] == '.') kind = ELLIPSIS_, length = 3;
    else if (at[1] == *at && strchr("*/<>", *at) != NULL) {
        kind = *at == '*' ? DOUBLESTAR : *at == '/' ? DOUBLESLASH : *at == '<' ? LEFTSHIFT : RIGHTSHIFT;
        length = 2;
    }
    if (*at == '-' && at[1] == '>') kind = ARROW, length = 2;
    else if (at[length] == '=' && kind >= VBAR && kind <= DOUBLESTAR) kind += VBAR_IS - VBAR, length++;
    else if (at[1] == '=' && length == 1 && strchr("=<>:", *at) != NULL) {
        kind = *at == '=' ? EQUALS : *at == '<' ? LESS_EQUAL : *at == '>' ? GREATER_EQUAL : WALRUS;
        length = 2;
    }
    if (kind == LPAR || kind == LSQB || kind == LBRACE) {
        if (c->nested >= MOST_NESTED) return 0;
        c->brackets[c->nested++] = (char)(kind + 1);
    } else if (kind == RPAR || kind == RSQB || kind == RBRACE) {
        if (c->nested == 0 || c->brackets[--c->nested] != kind) return 0;
    }
    c->at += length;
    return added(c, kind, at, length) != NULL;
}

/* ---------------------------------------------------------------------------------------------------- all of it */
/* The rest of a logical line, up to where the next one begins. */
static int logical_line(Cutter *c) {
    for (;;) {
        int here = (unsigned char)*c->at;
        if (c->at >= c->end) break;
        if (here == ' ' || here == '\t' || here == '\f') c->at++;
        else if (here == '#')
            while (c->at < c->end && *c->at != '\n') c->at++;
        else if (here == '\n') {
            if (c->nested == 0) break;
            c->line_start = ++c->at;
            c->line++;
        } else if (here == '\\') {
            if (c->at[1] != '\n' || c->at + 2 >= c->end) return 0;
            c->line_start = c->at += 2;
            c->line++;
        } else if (is_letter(here)) {
            if (!word(c)) return 0;
        } else if (is_digit(here) || (here == '.' && is_digit(c->at[1]))) {
            if (!number(c)) return 0;
        } else if (here == '"' || here == '\'') {
            if (!string(c, c->at, 128)) return 0;
        } else if (!operator(c)) return 0;
    }
    if (c->nested > 0 || added(c, T_NEWLINE, c->at, 0) == NULL) return 0;
    if (c->at < c->end) {
        c->line_start = ++c->at;
        c->line++;
    }
    return 1;
}

int mllint_cut(Reading *r) {
    Cutter c = {.r = r, .at = r->text, .end = r->text + r->length, .line_start = r->text, .line = 1};
    if (r->length > INT_MAX / 2) return 0;
    while (c.at < c.end) {
        int found = indentation(&c);
        if (found < 0 || (found == 1 && !logical_line(&c))) return 0;
    }
    for (; c.indent > 0; c.indent--)
        if (added(&c, T_DEDENT, c.at, 0) == NULL) return 0;
    return added(&c, T_END, c.at, 0) != NULL;
}
