import { html } from 'hono/html'
import type { HttpRequest, Job, Run } from '../queries/jobs.ts'
import { renderEmpty, renderName, renderTable, renderTime, sqlBlock, type Html } from './components.ts'

const isFailed = (status: string): boolean => status === 'failed'

const durationOf = ({ startedAt, endedAt }: Pick<Run, 'startedAt' | 'endedAt'>): string => {
  if (startedAt === null || endedAt === null) return ''
  const ms = Number(endedAt) - Number(startedAt)
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`
}

/** Jobs of pg_cron, their runs, and requests of pg_net. */
export function renderJobs(jobs: Job[] | null, runs: Run[], requests: HttpRequest[] | null): Html {
  return html`${renderSchedule(jobs, runs)} ${requests === null ? '' : renderHttpRequests(requests)}`
}

function renderSchedule(jobs: Job[] | null, runs: Run[]): Html {
  if (jobs === null || (jobs.length === 0 && runs.length === 0)) {
    return renderEmpty(
      html`No jobs yet. In a migration,
        ${jobs === null ? html`<code>create extension pg_cron</code> and then ` : ''}
        <code>select cron.schedule('nightly', '0 3 * * *', $$…$$)</code> creates one.`,
    )
  }
  return html`${jobs.map(renderJob)}
    <section>
      <h2>Last runs</h2>
      ${
        runs.length === 0
          ? renderEmpty('No job has run yet.')
          : renderTable({
              name: 'Last runs',
              head: html`<th scope="col">Job</th>
                <th scope="col">When</th>
                <th scope="col">Result</th>
                <th scope="col" class="number wide">Duration</th>`,
              rows: runs.map(
                (run) =>
                  html`<tr>
                    <th scope="row">${renderName(run.job)}</th>
                    <td>${renderTime(run.startedAt)}</td>
                    <td>${renderOutcome({ ...run, last: false })}</td>
                    <td class="number wide">${durationOf(run)}</td>
                  </tr>`,
              ),
            })
      }
    </section>`
}

/** `last` makes a failure red: in a list of runs most failures are fixed by now. */
function renderOutcome({ status, message, last }: Pick<Run, 'status' | 'message'> & { last: boolean }): Html {
  const detail = message === null ? '' : html`<span class="soft">${message}</span>`
  if (!isFailed(status)) return html`${status} ${detail}`
  return last ? html`<strong class="red">Failed</strong> ${detail}` : html`<strong>failed</strong> ${detail}`
}

function renderJob(job: Job): Html {
  return html`<section>
    <h2>
      ${renderName(job.name ?? `Job ${job.id}`)} ${job.active ? '' : html`<span class="soft">disabled</span>`}
    </h2>
    <p>
      <code>${job.schedule}</code>
      <span class="soft"
        >as ${job.username};
        ${job.status === null ? 'has not run yet' : html`last ${renderTime(job.startedAt)}`}</span
      >
      ${job.status !== null && isFailed(job.status) ? renderOutcome({ status: job.status, message: job.message, last: true }) : ''}
    </p>
    ${sqlBlock(job.command)}
  </section>`
}

function renderHttpRequests(requests: HttpRequest[]): Html {
  return html`<section>
    <h2>Requests of the database <span class="soft">pg_net, webhooks</span></h2>
    ${
      requests.length === 0
        ? renderEmpty('No requests in the last hours.')
        : renderTable({
            name: 'Requests of the database',
            head: html`<th scope="col">Request</th>
              <th scope="col">When</th>
              <th scope="col">Response</th>`,
            rows: requests.map(
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
