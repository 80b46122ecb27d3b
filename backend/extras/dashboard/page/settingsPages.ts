import { html } from 'hono/html'
import type { Migration } from '../facts/migrations.ts'
import { renderCount, renderEmpty, renderName, renderTable, type Html } from './parts.ts'

export function renderMigrations(migrations: Migration[]): Html {
  const pending = migrations.filter(({ applied }) => !applied).length
  if (migrations.length === 0)
    return renderEmpty(
      html`None. Files in <code>supabase/migrations</code> are applied at the start, each once.`,
    )
  return html`<p class="lead">
      ${renderCount(migrations.length - pending)}
      applied${pending === 0 ? '' : `, ${renderCount(pending)} waiting for the next start`}.
    </p>
    ${renderTable({
      name: 'Migrations',
      head: html`<th scope="col">Version</th>
        <th scope="col">Name</th>
        <th scope="col">State</th>`,
      rows: migrations.toReversed().map(
        ({ version, name, applied }) =>
          html`<tr>
            <td>${version}</td>
            <th scope="row">${renderName(name)}</th>
            <td>${applied ? 'applied' : 'waiting'}</td>
          </tr>`,
      ),
    })}`
}

/** Where things are, and what config.toml asks in vain. */
export function renderSettings(o: {
  supabaseDir: string
  dataDir: string
  schemas: string[]
  /** Whether mails wait in the mailbox rather than go out. */
  keepsMail: boolean
  /** Sentences. */
  remarks: string[]
}): Html {
  return html`<dl class="facts">
      <div>
        <dt>Project</dt>
        <dd><code>${o.supabaseDir}</code></dd>
      </div>
      <div>
        <dt>Data</dt>
        <dd><code>${o.dataDir}</code></dd>
      </div>
      <div>
        <dt>Log</dt>
        <dd><code>${o.dataDir}/logs/linnet.log</code></dd>
      </div>
      <div>
        <dt>Schemas of the data API</dt>
        <dd>${o.schemas.join(', ')}</dd>
      </div>
      <div>
        <dt>Mail</dt>
        <dd>
          ${o.keepsMail ? 'waits in the mailbox: config.toml names no mail server' : 'goes out by the mail server of config.toml'}
        </dd>
      </div>
    </dl>
    <section>
      <h2>config.toml</h2>
      ${
        o.remarks.length === 0
          ? renderEmpty('Every key in it is known here and does what it says.')
          : html`<ul class="warnings">
              ${o.remarks.map((remark) => html`<li>${remark}</li>`)}
            </ul>`
      }
    </section>`
}
