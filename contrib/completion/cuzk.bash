# Completion of cuzk for bash: verbs, options and settings as the program itself tells them, so there
# is nothing here to keep up to date. Install as /usr/share/bash-completion/completions/cuzk.
_cuzk_verbs() { "$1" --help 2>/dev/null | sed -n 's/^  \([a-z]*\)  .*/\1/p'; }
_cuzk_options() { "$@" --help 2>/dev/null | sed -n 's/^  \(--[a-z0-9-]*\).*/\1/p'; }

_cuzk() {
    local cuzk=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD - 1]}
    local verb=(${COMP_WORDS[1]})
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ]; then
        COMPREPLY=($(compgen -W "$(_cuzk_verbs "$cuzk")" -- "$word"))
        return
    fi
    if [ "${verb[0]}" = config ]; then
        if [ "$COMP_CWORD" = 2 ]; then
            COMPREPLY=($(compgen -W "check show docs" -- "$word"))
            return
        fi
        verb+=("${COMP_WORDS[2]}")
    fi
    case $last in
    --set)
        COMPREPLY=($(compgen -S = -W "$("$cuzk" config docs --names 2>/dev/null)" -- "$word"))
        compopt -o nospace 2>/dev/null
        return
        ;;
    --log-level) COMPREPLY=($(compgen -W "off error warn info debug" -- "$word")); return ;;
    --log-format) COMPREPLY=($(compgen -W "text logfmt json" -- "$word")); return ;;
    --preload)
        COMPREPLY=($(compgen -W "$("$cuzk" circuits 2>/dev/null | awk '{print $1}')" -- "$word"))
        return
        ;;
    esac
    case $word in
    -*) COMPREPLY=($(compgen -W "$(_cuzk_options "$cuzk" "${verb[@]}")" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
    esac
}
complete -o filenames -F _cuzk cuzk
