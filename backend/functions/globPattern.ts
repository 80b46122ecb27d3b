/**
 * A glob as config.toml's `static_files` has them, as a pattern for whole paths: `*` and `?` within a name, `**`
 * over folders, `[a-z]`.
 */
export function globPattern(glob: string): RegExp {
  const source = glob.replace(
    // Several in a row say what one says, and as a pattern would take as long as there are ways to share folders out.
    /(?:\*\*\/)+(?:\*\*)?|\*+|\?|\[!?[^\]/]+\]|[\\^$.|+(){}[\]]/g,
    (part) => {
      if (part.endsWith('**')) return '.*'
      if (part.startsWith('**/')) return '(?:[^/]+/)*'
      if (part === '*') return '[^/]*'
      if (part === '?') return '[^/]'
      return part.length > 1 ? part.replace(/^\[!/, '[^') : `\\${part}`
    },
  )
  return new RegExp(`^${source}$`)
}
