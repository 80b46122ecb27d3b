/// <reference types="vite/types/importMeta.d.ts" />
import { commandName } from '../../../runtime/commandName.ts'
import { createHash } from 'node:crypto'
import { html, raw } from 'hono/html'
import type { Html } from './components.ts'

const files = import.meta.glob<string>('./dashboard.{css,js}', {
  query: '?raw',
  import: 'default',
  eager: true,
})
const style = files['./dashboard.css']!
const script = files['./dashboard.js']!
// Complete elements: a line break that a formatter adds inside of them would change their digests.
const styleElement = raw(`<style>${style}</style>`)
const scriptElement = raw(`<script>${script}</script>`)
const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/**
 * Allows only this script and this style sheet, by their digests: no name of a table, a user or in the log can become
 * either.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `script-src ${hashOf(script)}`,
  `style-src ${hashOf(style)}`,
  "font-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

export const pages = [
  { path: '', name: 'Overview' },
  { path: 'tables', name: 'Tables' },
  { path: 'users', name: 'Users' },
  { path: 'files', name: 'Files' },
  { path: 'routines', name: 'Database functions' },
  { path: 'functions', name: 'Edge functions' },
  { path: 'jobs', name: 'Jobs' },
  { path: 'logs', name: 'Logs' },
  { path: 'migrations', name: 'Migrations' },
  { path: 'settings', name: 'Settings' },
] as const

export type PagePath = (typeof pages)[number]['path']

export interface PageFrame {
  /** The project's name in `config.toml`. */
  project: string
  /** The base path of all pages: `/_/<token>`. */
  base: string
  /** URL of the mailbox; null if emails are sent. */
  mailbox: string | null
}

const logo = html`<svg width="20" height="20" viewBox="0 0 64 64" aria-hidden="true">
  <path class="back" d="M11 28c0-9 7-16 16-16 8 0 14 4 17 11l13 22-5 3-9-3c-4 6-11 9-18 8-9-1-15-9-14-18z" />
  <path class="front" d="M12 27c3 1 9 3 13 7 4 5 6 11 3 19-10 1-17-8-17-18z" />
  <path class="wing" d="M31 27c7-1 13 2 17 9l7 10-4 1c-9 0-17-4-20-12-1-3-1-6 0-8z" />
  <path class="beak" d="m12 21-9 6 9 1z" />
  <circle cx="21" cy="21" r="2.4" />
</svg>`

/** The complete document. `title` is also the heading; `page` is the current entry of the navigation. */
export function renderPage(
  frame: PageFrame,
  o: { page: PagePath; title: string | Html; name: string; body: Html },
): Html {
  const { base, project } = frame
  const link = ({ path, name }: (typeof pages)[number]): Html =>
    html`<li>
      <a href="${base}/${path}" ${o.page === path ? raw('aria-current="page"') : ''}>${name}</a>
    </li>`
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${o.name} · ${project}</title>
        <link rel="icon" href="${base}/logo.svg" type="image/svg+xml" />
        <link rel="preload" href="${base}/inter.woff2" as="font" type="font/woff2" crossorigin />
        ${styleElement}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the page</a>
        <header>
          <p class="project">${logo}<bdi>${project}</bdi></p>
          <nav aria-label="Pages">
            <ul>
              ${pages.map(link)}
              ${frame.mailbox === null ? '' : html`<li><a href="${frame.mailbox}">Mailbox</a></li>`}
            </ul>
          </nav>
          <p class="hint">
            This page opens only on this machine, with the link that “${commandName()} start” prints. Except
            for removing second factors it is read-only.
          </p>
        </header>
        <main id="main" tabindex="-1">
          <h1>${o.title}</h1>
          ${o.body}
        </main>
        <p class="visually-hidden" role="status" id="status"></p>
        ${scriptElement}
      </body>
    </html>`
}

/** The logo as a file, for the browser tab. */
export const logoFile = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><path fill="#8b6a50" d="M11 28c0-9 7-16 16-16 8 0 14 4 17 11l13 22-5 3-9-3c-4 6-11 9-18 8-9-1-15-9-14-18z"/><path fill="#c9372f" d="M12 27c3 1 9 3 13 7 4 5 6 11 3 19-10 1-17-8-17-18z"/><path fill="#54402f" d="M31 27c7-1 13 2 17 9l7 10-4 1c-9 0-17-4-20-12-1-3-1-6 0-8z"/><path fill="#3a2c20" d="m12 21-9 6 9 1z"/></svg>`
