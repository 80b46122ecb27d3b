import { html } from 'hono/html'
import type { User, UserDetails } from '../queries/users.ts'
import {
  copyButton,
  renderEmpty,
  renderName,
  renderTable,
  renderTime,
  sqlBlock,
  type Html,
} from './components.ts'

export function renderUsers(o: {
  base: string
  users: User[]
  search: string
  page: number
  hasMore: boolean
  /** The approximate number; '' if unknown. */
  count: string
}): Html {
  const { base, users, search, page, hasMore } = o
  const pageUrl = (to: number): string =>
    `${base}/users?${new URLSearchParams({ ...(search !== '' && { search }), page: String(to) })}`
  return html`<p class="lead">${o.count === '' ? '' : `${o.count} users, newest first.`}</p>
    <form class="filter" role="search" action="${base}/users">
      <label>Email, phone, name or id<input type="search" name="search" value="${search}" /></label>
      <button>Find</button>
    </form>
    ${
      users.length === 0
        ? renderEmpty(
            search !== '' ? `No users match “${search}”.` : page > 1 ? 'No more users.' : 'No users yet.',
          )
        : renderTable({
            name: 'Users',
            head: html`<th scope="col">User</th>
              <th scope="col">State</th>
              <th scope="col" class="wide">Sign-in methods</th>
              <th scope="col">Last sign-in</th>
              <th scope="col" class="wide">Created</th>`,
            rows: users.map(
              (user) =>
                html`<tr>
                  <th scope="row">
                    <a href="${base}/user?id=${user.id}">${renderName(titleOf(user))}</a>
                    ${user.name === null || titleOf(user) === user.name ? '' : html`<span class="soft">${renderName(user.name)}</span>`}
                  </th>
                  <td>${stateOf(user)}</td>
                  <td class="wide">${providersOf(user)} ${removeFactorsLink(base, user)}</td>
                  <td>${renderTime(user.lastSignInAt)}</td>
                  <td class="wide">${renderTime(user.createdAt)}</td>
                </tr>`,
            ),
          })
    }
    ${
      page > 1 || hasMore
        ? html`<nav class="pager" aria-label="Pages of users">
            ${page > 1 ? html`<a href="${pageUrl(page - 1)}">Newer</a>` : ''}
            <span class="soft">Page ${page}</span>
            ${hasMore ? html`<a href="${pageUrl(page + 1)}">Older</a>` : ''}
          </nav>`
        : ''
    }`
}

/** The display name of a user: email address, else phone number, else name. */
export const titleOf = ({ email, phone, name, anonymous }: User): string =>
  email ?? phone ?? name ?? (anonymous ? 'Anonymous' : 'No address')

function stateOf({ banned, deleted, anonymous, confirmed }: User): string {
  if (deleted) return 'Deleted'
  if (banned) return 'Banned'
  if (anonymous) return 'Anonymous'
  return confirmed ? 'Confirmed' : 'Not confirmed'
}

const providersOf = ({ providers }: User): string =>
  (providers ?? '').replaceAll(/[[\]"]/g, '').replaceAll(',', ', ')

const removeFactorsLink = (base: string, { id, guarded }: User): Html | string =>
  guarded ? html`<a href="${base}/factors?id=${id}">Remove second factors</a>` : ''

export function renderUser(base: string, user: UserDetails): Html {
  const facts: [string, Html | string | null][] = [
    ['Id', html`<code>${user.id}</code>${copyButton(user.id, 'the id')}`],
    ['State', stateOf(user)],
    ['Email', user.email],
    ['Phone', user.phone],
    ['Name', user.name === null ? null : renderName(user.name)],
    ['Created', renderTime(user.createdAt)],
    ['Last sign-in', renderTime(user.lastSignInAt)],
  ]
  return html`<dl class="facts">
      ${facts
        .filter(([, value]) => value !== null)
        .map(
          ([name, value]) =>
            html`<div>
              <dt>${name}</dt>
              <dd>${value}</dd>
            </div>`,
        )}
    </dl>
    <section>
      <h2>Sign-in methods</h2>
      ${
        user.identities.length === 0
          ? renderEmpty('None.')
          : html`<ul class="definitions">
              ${user.identities.map(
                ({ provider, email, lastSignInAt }) =>
                  html`<li>
                    ${provider} <span class="soft">${email ?? ''} last ${renderTime(lastSignInAt)}</span>
                  </li>`,
              )}
              ${user.factors.map(
                ({ kind, name, status }) =>
                  html`<li>${kind} ${name ?? ''} <span class="soft">${status}</span></li>`,
              )}
            </ul>`
      }
      ${removeFactorsLink(base, user)}
    </section>
    <section>
      <h2>Sessions</h2>
      ${
        user.sessions.length === 0
          ? renderEmpty('No sessions.')
          : renderTable({
              name: 'Sessions',
              head: html`<th scope="col">Device</th>
                <th scope="col">IP address</th>
                <th scope="col">Created</th>
                <th scope="col" class="wide">Refreshed</th>`,
              rows: user.sessions.map(
                ({ userAgent, ip, createdAt, refreshedAt }) =>
                  html`<tr>
                    <td>${userAgent ?? 'unknown'}</td>
                    <td>${ip ?? ''}</td>
                    <td>${renderTime(createdAt)}</td>
                    <td class="wide">${renderTime(refreshedAt)}</td>
                  </tr>`,
              ),
            })
      }
    </section>
    <section>
      <h2>Metadata</h2>
      <p class="soft">raw_app_meta_data, which only services write:</p>
      ${sqlBlock(user.appMetadata ?? 'null')}
      <p class="soft">raw_user_meta_data, which users write themselves:</p>
      ${sqlBlock(user.userMetadata ?? 'null')}
    </section>
    <p class="soft note">
      To delete a user, use auth.admin.deleteUser with a secret key, which also ends sessions.
    </p>`
}
