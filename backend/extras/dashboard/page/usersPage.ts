import { html } from 'hono/html'
import type { User, UserDetails } from '../facts/users.ts'
import { copyButton, renderEmpty, renderName, renderTable, renderTime, sqlBlock, type Html } from './parts.ts'

export function renderUsers(o: {
  base: string
  users: User[]
  search: string
  page: number
  more: boolean
  /** How many there are, about; '' where that isn't known. */
  count: string
}): Html {
  const { base, users, search, page, more } = o
  const at = (to: number): string =>
    `${base}/users?${new URLSearchParams({ ...(search !== '' && { search }), page: String(to) })}`
  return html`<p class="lead">${o.count === '' ? '' : `${o.count} in all, the newest first.`}</p>
    <form class="filter" role="search" action="${base}/users">
      <label>Address, phone, name or id<input type="search" name="search" value="${search}" /></label>
      <button>Find</button>
    </form>
    ${
      users.length === 0
        ? renderEmpty(
            search !== ''
              ? `Nobody is found by “${search}”.`
              : page > 1
                ? 'No more users.'
                : 'No users yet. They appear here once somebody signs up.',
          )
        : renderTable({
            name: 'Users',
            head: html`<th scope="col">Who</th>
              <th scope="col">State</th>
              <th scope="col" class="wide">Signs in by</th>
              <th scope="col">Last here</th>
              <th scope="col" class="wide">Since</th>`,
            rows: users.map(
              (user) =>
                html`<tr>
                  <th scope="row">
                    <a href="${base}/user?id=${user.id}">${renderName(titleOf(user))}</a>
                    ${user.name === null || titleOf(user) === user.name ? '' : html`<span class="soft">${renderName(user.name)}</span>`}
                  </th>
                  <td>${stateOf(user)}</td>
                  <td class="wide">${providersOf(user)} ${takeOffLink(base, user)}</td>
                  <td>${renderTime(user.lastSignInAt)}</td>
                  <td class="wide">${renderTime(user.createdAt)}</td>
                </tr>`,
            ),
          })
    }
    ${
      page > 1 || more
        ? html`<nav class="pager" aria-label="Pages of users">
            ${page > 1 ? html`<a href="${at(page - 1)}">Newer</a>` : ''}
            <span class="soft">Page ${page}</span>
            ${more ? html`<a href="${at(page + 1)}">Older</a>` : ''}
          </nav>`
        : ''
    }`
}

/** What a user is called here: the address, else the phone, else the name. */
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

const takeOffLink = (base: string, { id, guarded }: User): Html | string =>
  guarded ? html`<a href="${base}/factors?id=${id}">Take off second steps</a>` : ''

export function renderUser(base: string, user: UserDetails): Html {
  const facts: [string, Html | string | null][] = [
    ['Id', html`<code>${user.id}</code>${copyButton(user.id, 'the id')}`],
    ['State', stateOf(user)],
    ['Address', user.email],
    ['Phone', user.phone],
    ['Name', user.name === null ? null : renderName(user.name)],
    ['Since', renderTime(user.createdAt)],
    ['Last signed in', renderTime(user.lastSignInAt)],
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
      <h2>Signs in by</h2>
      ${
        user.identities.length === 0
          ? renderEmpty('Nothing yet.')
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
      ${takeOffLink(base, user)}
    </section>
    <section>
      <h2>Sessions</h2>
      ${
        user.sessions.length === 0
          ? renderEmpty('Signed in nowhere.')
          : renderTable({
              name: 'Sessions',
              head: html`<th scope="col">Device</th>
                <th scope="col">From</th>
                <th scope="col">Since</th>
                <th scope="col" class="wide">Renewed</th>`,
              rows: user.sessions.map(
                ({ userAgent, ip, createdAt, refreshedAt }) =>
                  html`<tr>
                    <td>${userAgent ?? 'not said'}</td>
                    <td>${ip ?? ''}</td>
                    <td>${renderTime(createdAt)}</td>
                    <td class="wide">${renderTime(refreshedAt)}</td>
                  </tr>`,
              ),
            })
      }
    </section>
    <section>
      <h2>What the application keeps</h2>
      <p class="soft">raw_app_meta_data, which only services write:</p>
      ${sqlBlock(user.appMetadata ?? 'null')}
      <p class="soft">raw_user_meta_data, which users write themselves:</p>
      ${sqlBlock(user.userMetadata ?? 'null')}
    </section>
    <p class="soft note">
      Nothing is deleted here. Use auth.admin.deleteUser with a secret key, so that sessions and files are
      thought of.
    </p>`
}
