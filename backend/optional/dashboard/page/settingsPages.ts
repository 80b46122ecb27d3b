import { html } from 'hono/html'
import { installationFile } from '../../../config/loadConfig.ts'
import type { Setting } from '../../../config/listSettings.ts'
import { describeSource } from '../../../config/Source.ts'
import type { Migration } from '../queries/migrations.ts'
import { renderCount, renderEmpty, renderName, renderTable, type Html } from './components.ts'

export function renderMigrations(migrations: Migration[]): Html {
  const pending = migrations.filter(({ applied }) => !applied).length
  if (migrations.length === 0)
    return renderEmpty(html`None. Files in <code>supabase/migrations</code> are applied once, at the start.`)
  return html`<p class="lead">
      ${renderCount(migrations.length - pending)}
      applied${pending === 0 ? '' : `, ${renderCount(pending)} pending until the next start`}.
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
            <td>${applied ? 'applied' : 'pending'}</td>
          </tr>`,
      ),
    })}`
}

/** Directories, settings of the installation, and warnings about the settings files. */
export function renderSettings(o: {
  supabaseDir: string
  dataDir: string
  schemas: string[]
  /** Whether emails are stored in the mailbox instead of sent. */
  storesMail: boolean
  settings: Setting[]
  warnings: string[]
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
        <dt>Email</dt>
        <dd>
          ${o.storesMail ? 'stored in the mailbox: [auth.email.smtp] names no mail server' : 'sent by the mail server in [auth.email.smtp]'}
        </dd>
      </div>
    </dl>
    <section>
      <h2>Set for this installation</h2>
      ${
        o.settings.length === 0
          ? renderEmpty(html`None. Write settings into <code>${installationFile(o.dataDir)}</code>.`)
          : renderTable({
              name: 'Settings',
              head: html`<th scope="col">Setting</th>
                <th scope="col">Value</th>
                <th scope="col">Set in</th>`,
              rows: o.settings.map(
                ({ key, value, isSecret, source }) =>
                  html`<tr>
                    <th scope="row"><code>${key}</code></th>
                    <td>${isSecret ? 'set' : JSON.stringify(value)}</td>
                    <td>${describeSource(source)}</td>
                  </tr>`,
              ),
            })
      }
    </section>
    <section>
      <h2>Warnings</h2>
      ${
        o.warnings.length === 0
          ? renderEmpty('No warnings: all keys are supported.')
          : html`<ul class="warnings">
              ${o.warnings.map((warning) => html`<li>${warning}</li>`)}
            </ul>`
      }
    </section>`
}
