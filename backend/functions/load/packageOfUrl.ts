/**
 * The `npm:` or `jsr:` specifier of a package URL on a CDN; null for any other URL. Those CDNs serve the unchanged code
 * of the package, so an installed one is the same module: esm.sh, jsdelivr, unpkg, skypack, jspm. Their options
 * (`?target=deno`, `+esm`) only affect delivery.
 */
export function packageOfUrl(address: string): string | null {
  const url = new URL(address)
  const path = decodeURIComponent(url.pathname).slice(1)
  switch (url.hostname) {
    case 'esm.sh':
    case 'cdn.esm.sh': {
      // The package may be preceded by the build ("v135", "stable"), and "*" for external dependencies.
      const rest = path.replace(/^(?:v\d+|stable)\//, '').replace(/^\*/, '')
      if (rest.startsWith('jsr/')) return `jsr:${rest.slice(4)}`
      return /^(?:gh|pr|github\.com)\/|^~/.test(rest) ? null : asNpm(rest)
    }
    case 'cdn.jsdelivr.net':
      return path.startsWith('npm/') ? asNpm(path.slice(4)) : null
    case 'unpkg.com':
    case 'cdn.skypack.dev':
      return asNpm(path.replace(/^-\//, ''))
    case 'ga.jspm.io':
      return path.startsWith('npm:') ? asNpm(path.slice(4)) : null
    default:
      return null
  }
}

const asNpm = (rest: string): string | null => {
  const name = rest.replace(/\/?\+esm$/, '').replace(/\/$/, '')
  return name === '' ? null : `npm:${name}`
}
