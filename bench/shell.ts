import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { BenchTable } from './table.ts'

/** Kilobytes (gzip) that a browser loads before the first messages are shown. */
export interface ShellSize {
  /** The scripts of index.html with all their static imports: needed for the first paint. */
  critical: number
  /** The same with the preloaded scripts: needed until a conversation is usable. */
  usable: number
  styles: number
}

/** Maximum sizes, in the same unit. */
export const budgets = { critical: 100, usable: 181 }

/** Measures a build of the application in `dist`. */
export function measureShell(dist: string): ShellSize {
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
  return {
    critical: sum(critical),
    usable: sum(new Set([...critical, ...preloaded])),
    styles: sum(attributes(/<link[^>]+rel="stylesheet"[^>]+href="([^"]+)"/g)),
  }
}

/** Size of the first download, against its budgets. */
export async function run(): Promise<BenchTable> {
  const dist = join(process.cwd(), 'dist', 'app')
  if (!existsSync(join(dist, 'index.html')))
    throw new Error('dist/app is missing: build the application first.')
  const { critical, usable, styles } = measureShell(dist)
  const goal = (value: number, budget: number): { ratio: number; against: string } => ({
    ratio: value / budget,
    against: `${budget} KB, the most it may be`,
  })
  return {
    name: 'shell',
    rows: [
      {
        what: 'critical JavaScript',
        value: critical,
        unit: 'KB gzipped',
        ...goal(critical, budgets.critical),
      },
      { what: 'JavaScript until usable', value: usable, unit: 'KB gzipped', ...goal(usable, budgets.usable) },
      { what: 'styles', value: styles, unit: 'KB gzipped' },
    ],
  }
}
