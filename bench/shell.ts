import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { BenchTable } from './table.ts'

const dist = join(process.cwd(), 'dist', 'app')

const gzipped = (path: string): number => gzipSync(readFileSync(join(dist, path)), { level: 9 }).length

/**
 * Size of what a browser needs before the first words stand: the scripts that index.html names, with all
 * that they import statically, gzipped, against the goal of 120 KB; and with what it preloads besides,
 * against 200 KB.
 */
export async function run(): Promise<BenchTable> {
  if (!existsSync(join(dist, 'index.html')))
    throw new Error('dist/app is missing: build the application first.')
  const html = readFileSync(join(dist, 'index.html'), 'utf8')
  const attribute = (tag: RegExp): string[] =>
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
  for (const path of attribute(/<script[^>]+src="([^"]+)"/g)) visit(path)
  const usable = new Set([...critical, ...attribute(/<link[^>]+rel="modulepreload"[^>]+href="([^"]+\.js)"/g)])
  const sum = (paths: Iterable<string>): number =>
    [...paths].reduce((total, path) => total + gzipped(path), 0) / 1000
  const css = attribute(/<link[^>]+rel="stylesheet"[^>]+href="([^"]+)"/g)
  const goal = (value: number, bytes: number): { ratio: number; against: string } => ({
    ratio: value / bytes,
    against: `${bytes} KB, the most it may be`,
  })
  const criticalSize = sum(critical)
  const usableSize = sum(usable)
  return {
    name: 'shell',
    rows: [
      { what: 'critical JavaScript', value: criticalSize, unit: 'KB gzipped', ...goal(criticalSize, 120) },
      { what: 'JavaScript until usable', value: usableSize, unit: 'KB gzipped', ...goal(usableSize, 200) },
      { what: 'styles', value: sum(css), unit: 'KB gzipped' },
    ],
  }
}
