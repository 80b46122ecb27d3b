/**
 * A glob as config.toml's `static_files` has them, as a pattern for whole paths: `*` and `?` within a name, `**`
 * over folders, `[a-z]`.
 */
export function globPattern(glob: string): RegExp {
  const source = glob.replace(
    /\*\*\/?|\*|\?|\[!?[^\]/]+\]|[\\^$.|+(){}[\]]/g,
    (part) =>
      ({ '**/': '(?:[^/]+/)*', '**': '.*', '*': '[^/]*', '?': '[^/]' })[part] ??
      (part.length > 1 ? part.replace(/^\[!/, '[^') : `\\${part}`),
  )
  return new RegExp(`^${source}$`)
}
