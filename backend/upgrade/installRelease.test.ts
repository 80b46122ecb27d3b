import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { installRelease } from './installRelease.ts'
import { releasesDir, rootOfRelease, workDirectory } from './installedReleases.ts'
import { openSource } from './openSource.ts'

let dir = ''
let dataDir = ''

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'linnet-install-'))
  dataDir = join(dir, 'data')
  mkdirSync(workDirectory(dataDir, 'installing'), { recursive: true })
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

function write(path: string, content: string | object): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
}

it('a checkout is installed as the package that its own command builds, with the packages of the checkout', async () => {
  const checkout = join(dir, 'checkout')
  const manifest = { name: 'linnet', version: '1.2.3', bin: { linnet: 'bin/linnet.mjs' } }
  write(join(checkout, 'package.json'), manifest)
  write(join(checkout, 'node_modules/needed/package.json'), {
    name: 'needed',
    dependencies: { indirect: '1.0.0' },
  })
  write(join(checkout, 'node_modules/indirect/package.json'), { name: 'indirect' })
  write(join(checkout, 'node_modules/tool/package.json'), { name: 'tool' })
  write(join(dir, 'package/package.json'), { ...manifest, dependencies: { needed: '1.0.0' } })
  // As bin/pack.mjs: the last argument is the folder, and the only line of the output is the path of the package.
  write(
    join(checkout, 'bin/pack.mjs'),
    `import { execFileSync } from 'node:child_process'
    const file = process.argv[2] + '/linnet-1.2.3.tgz'
    execFileSync('tar', ['-czf', file, '-C', ${JSON.stringify(dir)}, 'package'])
    console.log(file)`,
  )
  const workDir = workDirectory(dataDir, 'installing')
  const open = await openSource({ kind: 'checkout', path: checkout }, workDir)
  const release = await installRelease(open, dataDir, workDir)
  expect(release).toMatch(/^1\.2\.3-[0-9a-f]{8}$/)
  expect(readdirSync(join(releasesDir(dataDir), release, 'node_modules')).sort()).toEqual([
    'indirect',
    'linnet',
    'needed',
  ])
  expect(existsSync(join(rootOfRelease(dataDir, release), 'package.json'))).toBe(true)
})
