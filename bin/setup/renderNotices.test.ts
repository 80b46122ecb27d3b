import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { renderNotices } from './renderNotices.mjs'

const root = join(import.meta.dirname, '../..')
const notices = renderNotices()
const sections = notices.split(`\n\n${'='.repeat(80)}\n\n`)
const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

// The packages of other platforms are not installed.
const installed = Object.entries<string>({ ...dependencies, ...optionalDependencies }).filter(([name]) =>
  existsSync(join(root, 'node_modules', name)),
)

it.each(installed)('%s has its license in the notices', (name, version) => {
  const section = sections.find((one) => one.startsWith(`${name} ${version} (`))
  expect(section).toMatch(/Copyright|©|From: \w/i)
})

it('fonts, PostgreSQL and packages that others depend on have their copyright in the notices', () => {
  expect(notices).toContain('The Inter Project Authors')
  expect(notices).toContain('PostgreSQL Global Development Group')
  expect(notices).toMatch(/\nscheduler \d\S+ \(MIT\)\n/)
})

it('development dependencies are not in the notices', () => {
  expect(notices).not.toMatch(/\nvitest \d/)
})

it('every package names its license', () => {
  expect(sections.filter((one) => /undefined/.test(one.split('\n', 3).join('\n')))).toEqual([])
})
