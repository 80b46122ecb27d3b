import { html } from 'hono/html'
import type { Call, Job, Run } from '../facts/jobs.ts'
import { renderEmpty, renderName, renderTable, renderTime, sqlBlock, type Html } from './parts.ts'

const failed = (status: string): boolean => status === 'failed'

const took = ({ startedAt, endedAt }: Pick<Run, 'startedAt' | 'endedAt'>): string => {
  if (startedAt === null || endedAt === null) return ''
  const ms = Number(endedAt) - Number(startedAt)
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`
}

/** What runs by the clock. */
export function renderJobs(jobs: Job[] | null, runs: Run[], calls: Call[] | null): Html {
  return html`${renderSchedule(jobs, runs)} ${calls === null ? '' : renderCalls(calls)}`
}

function renderSchedule(jobs: Job[] | null, runs: Run[]): Html {
  if (jobs === null || (jobs.length === 0 && runs.length === 0)) {
    return renderEmpty(
      html`No jobs yet. In a migration,
        ${jobs === null ? html`<code>create extension pg_cron</code> and then ` : ''}
        <code>select cron.schedule('nightly', '0 3 * * *', $$…$$)</code> makes one.`,
    )
  }
  return html`${jobs.map(renderJob)}
    <section>
      <h2>Last runs</h2>
      ${
        runs.length === 0
          ? renderEmpty('None has run yet.')
          : renderTable({
              name: 'Last runs',
              head: html`<th scope="col">Job</th>
                <th scope="col">When</th>
                <th scope="col">Outcome</th>
                <th scope="col" class="number wide">Took</th>`,
              rows: runs.map(
                (run) =>
                  html`<tr>
                    <th scope="row">${renderName(run.job)}</th>
                    <td>${renderTime(run.startedAt)}</td>
                    <td>${renderOutcome({ ...run, last: false })}</td>
                    <td class="number wide">${took(run)}</td>
                  </tr>`,
              ),
            })
      }
    </section>`
}

/** `last` makes a failure red: in a list of runs most were mended long ago. */
function renderOutcome({ status, message, last }: Pick<Run, 'status' | 'message'> & { last: boolean }): Html {
  const said = message === null ? '' : html`<span class="soft">${message}</span>`
  if (!failed(status)) return html`${status} ${said}`
  return last ? html`<strong class="red">Failed</strong> ${said}` : html`<strong>failed</strong> ${said}`
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
      ${job.status !== null && failed(job.status) ? renderOutcome({ status: job.status, message: job.message, last: true }) : ''}
    </p>
    ${sqlBlock(job.command)}
  </section>`
}

function renderCalls(calls: Call[]): Html {
  return html`<section>
    <h2>Calls by the database <span class="soft">pg_net, webhooks</span></h2>
    ${
      calls.length === 0
        ? renderEmpty('None in the last hours.')
        : renderTable({
            name: 'Calls by the database',
            head: html`<th scope="col">Request</th>
              <th scope="col">When</th>
              <th scope="col">Answer</th>`,
            rows: calls.map(
              ({ id, status, error, at }) =>
                html`<tr>
                  <th scope="row">${id}</th>
                  <td>${renderTime(at)}</td>
                  <td>${status ?? ''} <span class="soft">${error ?? ''}</span></td>
                </tr>`,
            ),
          })
    }
  </section>`
}
