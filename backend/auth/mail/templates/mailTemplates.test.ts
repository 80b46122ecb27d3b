import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConfigError, loadConfig } from '../../../config/loadConfig.ts'
import { loadMailTemplates } from './mailTemplates.ts'

let project: string
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'linnet-templates-'))
  mkdirSync(join(project, 'supabase', 'templates'), { recursive: true })
})
afterEach(() => rmSync(project, { recursive: true }))

function load(toml: string, files: Record<string, string> = {}) {
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(project, 'supabase/templates', name), text)
  writeFileSync(join(project, 'supabase/config.toml'), toml)
  return loadMailTemplates(loadConfig(join(project, 'supabase')))
}

const values = {
  SiteURL: 'https://x.example',
  ConfirmationURL: 'https://x.example/auth/v1/verify?token=abc&type=magiclink',
  Token: '123456',
  TokenHash: 'abc',
  Email: 'bea@x.example',
  Data: {},
  RedirectTo: 'https://x.example/home',
}

describe('mails', () => {
  it('come in both forms, with link and code to print', () => {
    const mail = load('')('magic_link', values)
    expect(mail).toMatchObject({ subject: 'Your sign-in link', link: values.ConfirmationURL, code: '123456' })
    expect(mail.html).toContain('href="https://x.example/auth/v1/verify?token=abc&amp;type=magiclink"')
    expect(mail.text).toContain(`Sign in: ${values.ConfirmationURL}`)
    expect(mail.text).not.toMatch(/[<>]|&amp;/)
  })

  it.each(['./supabase/templates/link.html', './templates/link.html'])(
    'read a template of the project: %s',
    (path) => {
      const render = load(
        `[auth.email.template.magic_link]\nsubject = "Hi {{ .Email }}"\ncontent_path = "${path}"\n`,
        {
          'link.html':
            '<a href="{{ .SiteURL }}/confirm?token_hash={{ .TokenHash }}&next={{ .RedirectTo }}">go</a>',
        },
      )
      expect(render('magic_link', values)).toMatchObject({
        subject: 'Hi bea@x.example',
        link: 'https://x.example/confirm?token_hash=abc&next=https%3A%2F%2Fx.example%2Fhome',
        code: null,
      })
    },
  )

  it('begin no header of someone else’s choosing', () => {
    const render = load('[auth.email.template.invite]\nsubject = "From {{ .Data.name }}"\n')
    const { subject } = render('invite', { ...values, Data: { name: 'A\r\nBcc: x@evil.example\u2028' } })
    expect(subject).toBe('From A Bcc: x@evil.example')
  })

  it('say which template is wrong', () => {
    expect(() => load('[auth.email.template.invite]\ncontent_path = "no.html"\n')).toThrow(ConfigError)
    expect(() =>
      load('[auth.email.template.invite]\ncontent_path = "./templates/a.html"\n', {
        'a.html': '{{ range .X }}',
      }),
    ).toThrow(/auth\.email\.template\.invite\.content_path: \{\{ range/)
  })
})

it('of Linnet itself say what their token is for, since a PKCE link is followed by its type alone', () => {
  const render = loadMailTemplates(loadConfig(join(import.meta.dirname, '../../../../supabase')))
  const typeOf = (kind: 'confirmation' | 'invite' | 'magic_link' | 'recovery'): string | null =>
    new URL(render(kind, values).link!).searchParams.get('type')
  expect(['confirmation', 'invite', 'recovery'].map((kind) => typeOf(kind as 'invite'))).toEqual([
    'signup',
    'invite',
    'recovery',
  ])
  expect(['email', 'magiclink']).toContain(typeOf('magic_link'))
})
