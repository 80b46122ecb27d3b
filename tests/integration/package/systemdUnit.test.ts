import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryData } from '../../support/server.ts'

const unit = readFileSync(join(import.meta.dirname, '../../../service/linnet.service'), 'utf8')
const isInstalled = spawnSync('systemd-analyze', ['--version']).status === 0

/** Runs `systemd-analyze` on a unit of this text. */
function analyze(text: string, ...args: string[]): { status: number | null; stderr: string } {
  const folder = temporaryData()
  const file = join(folder.dir, 'linnet.service')
  // The program is not installed here, and the check would report that.
  writeFileSync(file, text.replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true'))
  const { status, stderr } = spawnSync('systemd-analyze', [...args, file], { encoding: 'utf8' })
  folder.remove()
  return { status, stderr: stderr.replaceAll(file, 'linnet.service') }
}

describe.skipIf(!isInstalled)('the systemd unit, if systemd-analyze is installed', () => {
  it('systemd understands every line', () => {
    expect(analyze(unit, 'verify', '--man=no')).toEqual({ status: 0, stderr: '' })
    const misspelt = unit.replace('ProtectHome=', 'ProtectHomes=')
    expect(analyze(misspelt, 'verify', '--man=no').stderr).toContain("Unknown key 'ProtectHomes'")
  })

  it('the exposure of the service is at most 2 of 10', () => {
    const options = ['security', '--offline=true', '--no-pager', '--threshold=20']
    expect(analyze(unit, ...options).status).toBe(0)
    expect(analyze(unit.replace('CapabilityBoundingSet=', ''), ...options).status).not.toBe(0)
  })
})

it('data and backups are in the folders that the documentation names', () => {
  expect(unit).toContain('--data /var/lib/linnet/data')
  expect(unit).toMatch(/^StateDirectory=linnet$/m)
})
