import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConfigError, loadConfig } from '../../../config/loadConfig.ts'
import { defaultMails, type MailKind } from './defaultMails.ts'
import { loadMailTemplates } from './mailTemplates.ts'
import { darkStyle } from './renderPage.ts'

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
  it('have HTML and text, and return link and code', () => {
    const mail = load('')('magic_link', values)
    expect(mail).toMatchObject({
      subject: 'Your sign-in link',
      link: values.ConfirmationURL,
      code: '123456',
    })
    expect(mail.html).toContain('href="https://x.example/auth/v1/verify?token=abc&amp;type=magiclink"')
    expect(mail.text).toContain(`Sign in:\n${values.ConfirmationURL}`)
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

  it('add no header for line breaks in a value', () => {
    const render = load('[auth.email.template.invite]\nsubject = "From {{ .Data.name }}"\n')
    const { subject } = render('invite', { ...values, Data: { name: 'A\r\nBcc: x@evil.example\u2028' } })
    expect(subject).toBe('From A Bcc: x@evil.example')
  })

  it('name an invalid template', () => {
    expect(() => load('[auth.email.template.invite]\ncontent_path = "no.html"\n')).toThrow(ConfigError)
    expect(() =>
      load('[auth.email.template.invite]\ncontent_path = "./templates/a.html"\n', {
        'a.html': '<p>\n{{ range .X }}',
      }),
    ).toThrow(/auth\.email\.template\.invite\.content_path is not a valid template: line 2: \{\{ range/)
    expect(() => load('[auth.email.template.invite]\nsubject = "{{ if }}"\n')).toThrow(
      /config\.toml, line 2: .*invite\.subject is not a valid template: line 1: .*\.$/,
    )
    expect(() => load('[auth.email.template.invite]\ncontent = "<p>Hi</p>"\n')).toThrow(
      /invite\.content is not read: .*content_path/,
    )
  })

  it.each(['../../outside.html', '/etc/hostname', './templates/away.html', './templates'])(
    'read files of the project only: %s',
    (path) => {
      const outside = join(project, '..', `outside-${basename(project)}.html`)
      writeFileSync(outside, 'secret')
      symlinkSync(outside, join(project, 'supabase/templates/away.html'))
      const named = path.replace('outside', `outside-${basename(project)}`)
      expect(() => load(`[auth.email.template.invite]\ncontent_path = "${named}"\n`)).toThrow(
        /lies outside of the project|must be a file/,
      )
      rmSync(outside)
    },
  )

  it('read templates of enabled notifications', () => {
    const section = '[auth.email.notification.email_changed]\nsubject = "Now {{ .Email }}"\n'
    const path = 'content_path = "./templates/changed.html"\n'
    const was = { ...values, OldEmail: 'old@x.example' }
    const files = { 'changed.html': '<p>{{ .OldEmail }} no more</p>' }
    expect(load(`${section}enabled = true\n${path}`, files)('email_changed', was)).toMatchObject({
      subject: 'Now bea@x.example',
      text: 'old@x.example no more',
      link: null,
    })
    // A disabled one may be invalid.
    expect(() => load(`${section}${path.replace('changed', 'none')}`)).not.toThrow()
  })

  it('use known values only by default, and are readable without HTML', () => {
    const render = load('')
    for (const kind of Object.keys(defaultMails) as MailKind[]) {
      const mail = render(kind, {
        ...values,
        Email: 'bea@x.example',
        FactorType: 'totp',
        SendingTo: 'b@x.example',
      })
      expect(mail.html).not.toContain('{{')
      expect(mail.text).not.toMatch(/[<>{]|&\w+;|\n\n\n| {2}/)
      expect(mail.html.match(/<a /g)?.length ?? 0).toBeLessThanOrEqual(1)
      expect(mail.subject).toMatch(/^[^{}!]{5,60}$/)
    }
  })

  it('escape values', () => {
    const name = '<img src=x onerror=alert(1)>{{ .TokenHash }}'
    const render = load(
      '[auth.email.template.invite]\nsubject = "{{ .Data.name }}"\ncontent_path = "./templates/a.html"\n',
      { 'a.html': '<p title="{{ .Data.name }}">{{ .Data.name }}</p><a href="{{ .Data.name }}">x</a>' },
    )
    const mail = render('invite', { ...values, Data: { name } })
    expect(mail.html).not.toContain('<img')
    expect(mail.html).toContain('{{ .TokenHash }}')
    expect(mail.html).not.toContain(values.TokenHash)
  })
})

const kinds = [
  'confirmation',
  'magic_link',
  'recovery',
  'email_change',
  'reauthentication',
  'password_changed',
  'email_changed',
  'mfa_factor_enrolled',
  'mfa_factor_unenrolled',
] as const
const renderOwn = () => loadMailTemplates(loadConfig(join(import.meta.dirname, '../../../../supabase')))

it("of Linnet have the token's type in their link, since a PKCE link is handled by its type", () => {
  const render = renderOwn()
  const typeOf = (kind: MailKind): string | null =>
    new URL(render(kind, values).link!).searchParams.get('type')
  expect(typeOf('confirmation')).toBe('signup')
  expect(typeOf('recovery')).toBe('recovery')
  expect(['email', 'magiclink']).toContain(typeOf('magic_link'))
})

it('of Linnet have the layout of the default mails', () => {
  const render = renderOwn()
  const withoutSpaces = (text: string): string => text.replace(/[\s;]+/g, '')
  const classes = (text: string) => [...text.matchAll(/class="([^"]*)"/g)].map(([, name]) => name)
  for (const kind of kinds) {
    const { html, subject, text } = render(kind, values)
    expect(withoutSpaces(html)).toContain(withoutSpaces(darkStyle))
    expect(classes(html)).toEqual(classes(defaultMails[kind].content))
    expect(subject).toContain('Linnet')
    expect(text).not.toMatch(/[<>{]|&\w+;|\n\n\n| {2}/)
  }
})

describe('the language in the metadata of the account', () => {
  const inGerman = { ...values, OldEmail: 'alt@x.example', FactorType: 'totp', Data: { language: 'de' } }

  it.each([
    ['confirmation', 'Bestätige deine E-Mail-Adresse für Linnet', 'Registrierung'],
    ['magic_link', 'Bei Linnet anmelden', 'Mit diesem Link meldest du dich als bea@x.example an.'],
    ['recovery', 'Linnet-Passwort zurücksetzen', 'Neues Passwort wählen'],
    [
      'email_change',
      'Bestätige die Änderung deiner E-Mail-Adresse für Linnet',
      'sobald du beide Adressen bestätigt hast',
    ],
    ['reauthentication', '123456 ist dein Code für Linnet', 'um fortzufahren'],
    ['password_changed', 'Dein Linnet-Passwort wurde geändert', 'Das alte funktioniert nicht mehr.'],
    [
      'email_changed',
      'Deine E-Mail-Adresse für Linnet wurde geändert',
      'Mit alt@x.example kannst du dich nicht mehr anmelden.',
    ],
    [
      'mfa_factor_enrolled',
      'Neue Zwei-Faktor-Methode für Linnet',
      'wurde ein zweiter Faktor hinzugefügt: eine Authenticator-App.',
    ],
    [
      'mfa_factor_unenrolled',
      'Zwei-Faktor-Methode für Linnet entfernt',
      'wurde ein zweiter Faktor entfernt: eine Authenticator-App.',
    ],
  ] as const)(
    'decides the language of the mail %s, with the same link and code',
    (kind, subject, sentence) => {
      const render = renderOwn()
      const [german, english] = [render(kind, inGerman), render(kind, values)]
      expect(german.subject).toBe(subject)
      expect(german.text).toContain(sentence)
      expect(german.html).toContain('<html lang="de">')
      expect(german.html.match(/<html/g)).toHaveLength(1)
      expect({ link: german.link, code: german.code }).toEqual({ link: english.link, code: english.code })
      expect(english.html).toContain('<html lang="en">')
    },
  )

  it('decides the language of an invitation', () => {
    const Data = { language: 'de', invited_by: 'Änne', workspace_name: 'Hafenstraße' }
    const { subject, text } = renderOwn()('confirmation', { ...values, Data })
    expect(subject).toBe('Änne hat dich zu Hafenstraße eingeladen')
    expect(text).toContain('Die Einladung gilt 7 Tage.')
  })

  it.each([undefined, null, '', 'fr', 7])('is English for %j', (language) => {
    expect(renderOwn()('magic_link', { ...values, Data: { language } }).subject).toBe('Sign in to Linnet')
  })
})

describe('the mail of an invitation', () => {
  const invited = { ...values, Data: { invited_by: 'Ann O’Hara & Co', workspace_name: 'Harbour Street' } }

  it('names inviter, workspace, validity and next step, in HTML and text', () => {
    const { subject, text, html } = renderOwn()('confirmation', invited)
    expect(subject).toBe('Ann O’Hara & Co invited you to Harbour Street')
    expect(html).toContain('Ann O’Hara &amp; Co invited you to Harbour Street')
    expect(text).toContain('Ann O’Hara & Co invited you to Harbour Street')
    expect(text).toContain('valid for 7 days')
    expect(text).toContain('Open the invitation and enter your name')
    expect(text).toContain('Don’t know Ann O’Hara & Co?')
    expect(text).not.toMatch(/[<>{]|&\w+;|\n\n\n| {2}/)
  })

  it('does not assume a request of the recipient, and shows the code only in case it is needed', () => {
    const { text, code } = renderOwn()('confirmation', invited)
    expect(text).not.toMatch(/you asked|were asked|request/i)
    expect(text).toContain('If Linnet asks you for a code, enter 123456 within an hour.')
    expect(code).toBe('123456')
    expect(renderOwn()('confirmation', values).text).not.toContain('invited')
  })
})
