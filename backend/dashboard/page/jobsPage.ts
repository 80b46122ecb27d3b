import { html } from 'hono/html'
import type { Job, Run } from '../facts/jobs.ts'
import { renderEmpty, renderName, renderTable, renderTime, sqlBlock, type Html } from './parts.ts'

const failed = (status: string): boolean => status === 'failed'

const took = ({ startedAt, endedAt }: Pick<Run, 'startedAt' | 'endedAt'>): string => {
  if (startedAt === null || endedAt === null) return ''
  const ms = Number(endedAt) - Number(startedAt)
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`
}

/** What runs by the clock. */
export function renderJobs(found: { jobs: Job[]; runs: Run[] } | null): Html {
  if (found === null || (found.jobs.length === 0 && found.runs.length === 0)) {
    return renderEmpty(
      html`No jobs yet. In a migration,
        ${found === null ? html`<code>create extension pg_cron</code> and then ` : ''}
        <code>select cron.schedule('nightly', '0 3 * * *', $$…$$)</code> makes one.`,
    )
  }
  return html`${found.jobs.map(renderJob)}
    <section>
      <h2>Last runs</h2>
      ${
        found.runs.length === 0
          ? renderEmpty('None has run yet.')
          : renderTable({
              name: 'Last runs',
              head: html`<th scope="col">Job</th>
                <th scope="col">When</th>
                <th scope="col">Outcome</th>
                <th scope="col" class="number">Took</th>`,
              rows: found.runs.map(
                (run) =>
                  html`<tr>
                    <th scope="row">${renderName(run.job)}</th>
                    <td>${renderTime(run.startedAt)}</td>
                    <td>${renderOutcome(run)}</td>
                    <td class="number">${took(run)}</td>
                  </tr>`,
              ),
            })
      }
    </section>`
}

function renderOutcome({ status, message }: Pick<Run, 'status' | 'message'>): Html {
  const said = message === null ? '' : html`<span class="soft">${message}</span>`
  return failed(status) ? html`<strong class="red">Failed</strong> ${said}` : html`${status} ${said}`
}

function renderJob(job: Job): Html {
  return html`<section>
    <h2>
      ${renderName(job.name ?? `Job ${job.id}`)}
      ${job.active ? '' : html`<span class="soft">switched off</span>`}
    </h2>
    <p>
      <code>${job.schedule}</code>
      <span class="soft"
        >as ${job.username};
        ${job.status === null ? 'has not run yet' : html`last ${renderTime(job.startedAt)}`}</span
      >
      ${job.status !== null && failed(job.status) ? renderOutcome({ status: job.status, message: job.message }) : ''}
    </p>
    ${sqlBlock(job.command)}
  </section>`
}
