/**
 * A glob of config.toml's `static_files` as a pattern for complete paths: `*` and `?` within a name, `**`
 * over folders, `[a-z]`.
 */
export function globPattern(glob: string): RegExp {
  const source = glob.replace(
    // Several in a row match the same as one, but would backtrack exponentially as a pattern.
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
