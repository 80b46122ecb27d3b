import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { readFixedSettings } from '../startup/fixedSettings.ts'
import { validateConfig } from '../startup/validateConfig.ts'
import { installationTemplate, writeInstallationTemplate } from './installationTemplate.ts'
import { installationFile, loadConfig, type Config } from './loadConfig.ts'

let dataDir = ''
beforeEach(() => (dataDir = mkdtempSync(join(tmpdir(), 'linnet-template-'))))
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(dataDir, { recursive: true })
})

function load(toml: string): Config {
  writeFileSync(installationFile(dataDir), toml, { mode: 0o600 })
  const config = loadConfig(join(import.meta.dirname, '../../supabase'), dataDir)
  validateConfig(config, [])
  return config
}

it('has only comments, which are valid settings without the comment sign', () => {
  expect(installationTemplate).toMatch(/^(#.*\n|\n)+$/)
  const config = load(installationTemplate.replace(/^#(?=\S)/gm, ''))
  expect(config.warnings).toEqual([])
  expect(config.at('server.port', 0)).toBe(4280)
  expect(config.at('auth.email.smtp.host', '')).toBe('smtp.example.org')
  expect(readFixedSettings(config)).toMatchObject({ mail_text: true, mail_delay_minutes: 15 })
})

it('names the command of a checkout', () => {
  writeInstallationTemplate(dataDir, 'bin/linnet')
  expect(readFileSync(join(dataDir, 'linnet.toml'), 'utf8')).toContain('# "bin/linnet settings check", and')
})

it('is written for the owner only, and replaces no file', () => {
  writeInstallationTemplate(dataDir)
  const file = installationFile(dataDir)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).toBe(installationTemplate)
  writeFileSync(file, '[server]\n')
  writeInstallationTemplate(dataDir)
  expect(readFileSync(file, 'utf8')).toBe('[server]\n')
})

it('the examples in the documents are valid', () => {
  for (const page of ['settings', 'mails', 'push', 'network']) {
    const text = readFileSync(join(import.meta.dirname, `../../docs/${page}.md`), 'utf8')
    const examples = [...text.matchAll(/```toml\n([\s\S]*?)```/g)].map(([, toml]) => toml!)
    expect(examples.length).toBeGreaterThan(0)
    for (const toml of examples) {
      vi.stubEnv('WORK_MEM', '4MB')
      vi.stubEnv('MAIL_HOOK_SECRET', 'v1,whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0')
      expect([page, load(toml).warnings]).toEqual([page, []])
    }
  }
})
