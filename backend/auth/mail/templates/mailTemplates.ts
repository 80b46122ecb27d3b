import { existsSync, readFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { ConfigError, type Config } from '../../../config/loadConfig.ts'
import { defaultMails, notices, type MailKind } from './defaultMails.ts'
import { firstLink, htmlToText } from './htmlToText.ts'
import { parseTemplate, TemplateError, type Template, type TemplateValues } from './renderTemplate.ts'

/** A mail ready to be sent. */
export interface RenderedMail {
  subject: string
  html: string
  text: string
  /** The first link in it, for those who print it. */
  link: string | null
  /** The code, where the mail shows it. */
  code: string | null
}

export type MailTemplates = (kind: MailKind, values: TemplateValues) => RenderedMail

/** Templates of `[auth.email.template.*]` and `[auth.email.notification.*]`, else our own. Throws ConfigError where one can't be read. */
export function loadMailTemplates(config: Config): MailTemplates {
  const parsed = Object.fromEntries(
    Object.entries(defaultMails).map(([kind, own]) => {
      const section = notices.some((notice) => notice === kind) ? 'notification' : 'template'
      const path = `auth.email.${section}.${kind}`
      const content = readContent(config, `${path}.content_path`) ?? own.content
      return [
        kind,
        {
          subject: parse(`${path}.subject`, config.at(`${path}.subject`, own.subject), 'text'),
          content: parse(`${path}.content_path`, content, 'html'),
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
      // A line break in a subject would begin a header of someone else's choosing.
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

function parse(path: string, source: string, as: 'html' | 'text'): Template {
  try {
    return parseTemplate(source, as)
  } catch (error) {
    if (error instanceof TemplateError) throw new ConfigError(`${path}: ${error.message}`)
    throw error
  }
}

/** Paths are written from the project's folder ("./supabase/templates/…") or from the supabase folder. */
function readContent(config: Config, path: string): string | null {
  const named = config.at(path, '')
  if (named === '') return null
  const places = isAbsolute(named) ? [named] : [join(dirname(config.dir), named), join(config.dir, named)]
  const file = places.find((place) => existsSync(place))
  if (!file) throw new ConfigError(`${path}: there is no file ${places.join(' nor ')}`)
  return readFileSync(file, 'utf8')
}
