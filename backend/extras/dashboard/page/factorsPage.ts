import { html } from 'hono/html'
import type { UserDetails } from '../facts/users.ts'
import { renderEmpty, renderName, type Html } from './parts.ts'
import { titleOf } from './usersPage.ts'

const kinds: Record<string, string> = {
  totp: 'Authenticator app',
  phone: 'Code to a phone',
  webauthn: 'Security key',
}

/** Asks before the second steps of somebody who lost them are taken off. */
export function renderFactors(base: string, user: UserDetails): Html {
  const factors = user.factors.filter(({ status }) => status === 'verified')
  const back = `${base}/user?id=${user.id}`
  if (factors.length === 0) {
    return html`${renderEmpty('There is no second step to take off.')}
      <p><a href="${back}">Back to ${renderName(titleOf(user))}</a></p>`
  }
  return html`<p class="lead">
      Make sure by voice or in person that it is ${renderName(titleOf(user))} who asks: without their second
      step a mail alone opens the account.
    </p>
    <ul class="definitions">
      ${factors.map(({ kind, name }) => html`<li>${kinds[kind] ?? kind} ${renderName(name ?? '')}</li>`)}
    </ul>
    <p>They are signed out everywhere, are told by mail, and sign in again without a second step.</p>
    <form class="head" method="post" action="${base}/factors?id=${user.id}">
      <button>${factors.length === 1 ? 'Take it off' : `Take all ${factors.length} off`}</button>
      <a class="button" href="${back}">Leave ${factors.length === 1 ? 'it' : 'them'}</a>
    </form>`
}

/** Says what was done. */
export function renderTakenOff(base: string, user: UserDetails, count: number): Html {
  const done = count === 1 ? 'The second step is taken off' : `All ${count} second steps are taken off`
  const words =
    count === 0
      ? 'There was no second step to take off.'
      : `${done}, and they are signed out everywhere. They may sign in now.`
  return html`<p role="status">${words}</p>
    <p><a href="${base}/user?id=${user.id}">Back to ${renderName(titleOf(user))}</a></p>`
}
