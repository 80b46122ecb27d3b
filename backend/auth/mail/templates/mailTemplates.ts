import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, relative } from 'node:path'
import type { Config } from '../../../config/loadConfig.ts'
import { defaultMails, notificationNames, type MailKind } from './defaultMails.ts'
import { firstLink, htmlToText } from './htmlToText.ts'
import { parseTemplate, TemplateError, type Template, type TemplateValues } from './renderTemplate.ts'

/** A mail ready to be sent. */
export interface RenderedMail {
  subject: string
  html: string
  text: string
  /** The first link in it, to be printed. */
  link: string | null
  /** The code, if the mail contains it. */
  code: string | null
}

export type MailTemplates = (kind: MailKind, values: TemplateValues) => RenderedMail

/**
 * Loads the templates of `[auth.email.template.*]` and of enabled `[auth.email.notification.*]`, otherwise the
 * defaults. All are parsed once, so an invalid one stops the start rather than a mail.
 * @throws ConfigError
 */
export function loadMailTemplates(config: Config): MailTemplates {
  const parsed = Object.fromEntries(
    Object.entries(defaultMails).map(([kind, fallback]) => {
      const isNotification = notificationNames.some((name) => name === kind)
      const path = `auth.email.${isNotification ? 'notification' : 'template'}.${kind}`
      const isEnabled = !isNotification || config.at(`${path}.enabled`, false)
      const content = (isEnabled && readContent(config, path)) || fallback.content
      return [
        kind,
        {
          subject: parse(
            config,
            `${path}.subject`,
            config.at(`${path}.subject`, '') || fallback.subject,
            'text',
          ),
          content: parse(config, `${path}.content_path`, content, 'html'),
        },
      ]
    }),
  ) as Record<MailKind, { subject: Template; content: Template }>
  return (kind, values) => {
    const template = parsed[kind]
    const html = template.content(values)
    const text = htmlToText(html)
    const code = typeof values.Token === 'string' ? values.Token : ''
    return {
      // A line break in a subject would begin another header.
      subject: template
        .subject(values)
        .replace(/\p{Cc}+/gu, ' ')
        .trim()
        .slice(0, 300),
      html,
      text,
      link: firstLink(html),
      code: code !== '' && text.includes(code) ? code : null,
    }
  }
}

function parse(config: Config, path: string, source: string, as: 'html' | 'text'): Template {
  try {
    return parseTemplate(source, as)
  } catch (error) {
    if (error instanceof TemplateError)
      throw config.errorAt(path, `is not a valid template: ${error.message}`)
    throw error
  }
}

/** The maximum size of a template, in bytes. */
const maxTemplateBytes = 1_000_000

/**
 * Paths are relative to the project directory ("./supabase/templates/…") or to the supabase directory. Files
 * outside of the project are rejected: a cloned configuration must not mail files of this machine. A path in linnet.toml of
 * the data directory is relative to that directory, and can name any file, since only the owner of the server writes there.
 */
function readContent(config: Config, section: string): string | null {
  const path = `${section}.content_path`
  const contentPath = config.at(path, '')
  if (contentPath === '') {
    // As the official CLI does.
    if (config.at(`${section}.content`, '') === '') return null
    throw config.errorAt(
      `${section}.content`,
      'is not read: put it into a file, and name that as content_path',
    )
  }
  const project = dirname(config.dir)
  const candidates = [
    ...new Set([project, config.dir].map((base) => config.resolveFile(path, contentPath, base))),
  ]
  const file = candidates.find((candidate) => existsSync(candidate))
  if (!file) throw config.errorAt(path, `names a file that does not exist: ${candidates.join(' nor ')}`)
  const inside = relative(realpathSync(project), realpathSync(file))
  if (!config.isOfInstallation(path) && (inside.startsWith('..') || isAbsolute(inside))) {
    throw config.errorAt(path, `names a file that lies outside of the project: ${contentPath}`)
  }
  const found = statSync(file)
  if (!found.isFile() || found.size > maxTemplateBytes) {
    throw config.errorAt(path, `must be a file of at most ${maxTemplateBytes} bytes, not ${contentPath}`)
  }
  return readFileSync(file, 'utf8')
}
