import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { BenchRow, BenchTable } from './table.ts'

/** Kilobytes (gzip) that a browser loads in one language before the first messages are shown. */
export interface ShellSize {
  language: string
  /** The scripts of index.html with all their static imports, and the messages of the first screens: needed for the first paint. */
  critical: number
  /** The same with the preloaded scripts: needed until a conversation is usable. */
  usable: number
  styles: number
}

/** Maximum sizes in every language, in the same unit. */
export const budgets = { critical: 139.3, usable: 229.4 }

/** Measures a build of the application in `dist`, in each language. */
export function measureShell(dist: string): ShellSize[] {
  const html = readFileSync(join(dist, 'index.html'), 'utf8')
  const attributes = (tag: RegExp): string[] =>
    [...html.matchAll(tag)].map((match) => match[1]!.replace(/^\//, ''))
  const critical = new Set<string>()
  const visit = (path: string): void => {
    if (critical.has(path)) return
    critical.add(path)
    const source = readFileSync(join(dist, path), 'utf8')
    for (const [, file] of source.matchAll(/(?:\bfrom|\bimport)\s*["']\.\/([^"']+\.js)["']/g)) {
      visit(join(path, '..', file!))
    }
  }
  for (const path of attributes(/<script[^>]+src="([^"]+)"/g)) visit(path)
  const preloaded = attributes(/<link[^>]+rel="modulepreload"[^>]+href="([^"]+\.js)"/g)
  const sum = (paths: Iterable<string>): number =>
    [...paths].reduce(
      (total, path) => total + gzipSync(readFileSync(join(dist, path)), { level: 9 }).length,
      0,
    ) / 1000
  return readdirSync(join(dist, 'assets')).flatMap((file) => {
    // Names of a build: vite.config.ts.
    const language = /^messages-([a-z]+)-.{8}\.js$/.exec(file)?.[1]
    if (!language) return []
    const messages = `assets/${file}`
    return {
      language,
      critical: sum([...critical, messages]),
      usable: sum(new Set([...critical, ...preloaded, messages])),
      styles: sum(attributes(/<link[^>]+rel="stylesheet"[^>]+href="([^"]+)"/g)),
    }
  })
}

/**
 * The modules of the first download in a checkout, with the bytes that each has, minified, by its path: those of the
 * chunks that index.html names, and the messages of the first screens.
 */
async function measureModules(root: string): Promise<Map<string, number>> {
  const [{ build }, { minifySync }] = await Promise.all([import('vite'), import('rolldown/utils')])
  const sizes = new Map<string, number>()
  const minifiedSize = (code: string): number =>
    minifySync('module.js', code, { module: true, mangle: true, compress: { unused: false } }).code.length
  await build({
    configFile: join(root, 'vite.config.ts'),
    logLevel: 'error',
    build: { write: false },
    plugins: [
      {
        name: 'measure-modules',
        generateBundle: {
          order: 'post',
          handler(_options, bundle) {
            const page = bundle['index.html']
            const html = page?.type === 'asset' ? String(page.source) : ''
            for (const chunk of Object.values(bundle)) {
              if (chunk.type !== 'chunk') continue
              const isFirst = html.includes(chunk.fileName) || chunk.facadeModuleId?.endsWith('.po')
              if (!isFirst) continue
              for (const [id, { code }] of Object.entries(chunk.modules))
                sizes.set(relative(root, id), minifiedSize(code ?? ''))
            }
          },
        },
      },
    ],
  })
  return sizes
}

/** The modules of the first download whose size differs from that at a commit, those that grew most first. */
async function compareModules(root: string, commit: string): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'linnet-shell-'))
  const git = (...args: string[]): unknown => execFileSync('git', args, { cwd: root, stdio: 'ignore' })
  git('worktree', 'add', '--detach', folder, commit)
  try {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    const before = await measureModules(folder)
    const after = await measureModules(root)
    return [...new Set([...before.keys(), ...after.keys()])]
      .map((path) => ({ path, growth: (after.get(path) ?? 0) - (before.get(path) ?? 0) }))
      .filter(({ growth }) => growth !== 0)
      .toSorted((a, b) => b.growth - a.growth)
      .map(({ path, growth }) => ({ what: path, value: growth, unit: `bytes minified since ${commit}` }))
  } finally {
    git('worktree', 'remove', '--force', folder)
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Size of the first download, against its budgets. With a commit in `LINNET_COMPARE`, also the modules that grew or
 * shrank since it.
 */
export async function run(): Promise<BenchTable> {
  const root = process.cwd()
  const dist = join(root, 'dist', 'app')
  if (!existsSync(join(dist, 'index.html')))
    throw new Error('dist/app is missing: build the application first.')
  const row = (what: string, value: number, budget: number): BenchRow => ({
    what,
    value,
    unit: 'KB gzipped',
    ratio: value / budget,
    against: `${budget} KB, the most it may be`,
  })
  const sizes = measureShell(dist)
  const compare = process.env['LINNET_COMPARE']
  return {
    name: 'shell',
    rows: [
      ...sizes.flatMap(({ language, critical, usable }) => [
        row(`critical JavaScript, ${language}`, critical, budgets.critical),
        row(`JavaScript until usable, ${language}`, usable, budgets.usable),
      ]),
      { what: 'styles', value: sizes[0]!.styles, unit: 'KB gzipped' },
      ...(compare ? await compareModules(root, compare) : []),
    ],
  }
}
