import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isSecretKey } from '../gateway/isSecretKey.ts'
import { siteFiles } from '../gateway/siteFiles.ts'
import { UsageError, defineCommand } from './Command.ts'
import { parseOrigin } from './readArguments.ts'

/** Throws UsageError unless `out` is missing, empty or the result of an earlier build: no other files are overwritten. */
function requireFree(out: string): void {
  if (existsSync(out) && readdirSync(out).length > 0 && !existsSync(join(out, 'linnet.json'))) {
    throw new UsageError(
      `${out} contains other files. --out must name an empty directory, or one that "linnet build" created.`,
    )
  }
}

/** `linnet build`: builds the application for a static host, if it is missing or stale. */
export const build = defineCommand({
  name: 'build',
  group: 'Deployment',
  summary: 'Build the application for a static host',
  help: `Without --out, builds into dist/app, which "linnet start" serves. With --out, the
directory is ready for a static host: it also contains linnet.json, which names the
backend, and the headers and the fallback in the format of Netlify and Cloudflare Pages.`,
  options: {
    out: { value: 'DIR', help: 'output directory' },
    url: { value: 'URL', help: 'URL of the backend, such as https://<ref>.supabase.co' },
    key: { value: 'KEY', help: 'publishable key of the backend' },
    site: { value: 'URL', help: 'URL where the application will be served' },
    installation: { value: 'NAME', help: 'any short name (default: linnet)' },
  },
  async run({ root, prepareApp, options }) {
    await prepareApp()
    const app = join(root, 'dist', 'app')
    if (options.out === undefined) {
      process.stdout.write(`The application is in ${app}\n`)
      return 0
    }
    const { url, key, site, installation = 'linnet' } = options
    if (url === undefined || key === undefined || site === undefined) {
      throw new UsageError('linnet build --out needs --url, --key and --site. See "linnet build --help".')
    }
    if (isSecretKey(key)) {
      throw new UsageError('--key is a secret key, and linnet.json is public. Use the publishable key.')
    }
    const out = resolve(options.out)
    requireFree(out)
    const files = siteFiles({
      url: parseOrigin('--url', url),
      site: parseOrigin('--site', site),
      key,
      installation,
    })
    mkdirSync(out, { recursive: true })
    cpSync(app, out, { recursive: true })
    for (const [name, text] of Object.entries(files)) writeFileSync(join(out, name), text)
    process.stdout.write(
      `The application is in ${out}\nServe it at ${site}, with index.html for every page URL.\n`,
    )
    return 0
  },
})
