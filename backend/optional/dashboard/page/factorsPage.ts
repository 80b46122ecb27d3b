import { html } from 'hono/html'
import type { UserDetails } from '../queries/users.ts'
import { renderEmpty, renderName, type Html } from './components.ts'
import { titleOf } from './usersPage.ts'

const kinds: Record<string, string> = {
  totp: 'Authenticator app',
  phone: 'SMS code',
  webauthn: 'Security key',
}

/** Asks for confirmation before removing the second factors of a user who lost them. */
export function renderFactors(base: string, user: UserDetails): Html {
  const factors = user.factors.filter(({ status }) => status === 'verified')
  const back = `${base}/user?id=${user.id}`
  if (factors.length === 0) {
    return html`${renderEmpty('There is no second factor to remove.')}
      <p><a href="${back}">Back to ${renderName(titleOf(user))}</a></p>`
  }
  return html`<p class="lead">
      Make sure by phone or in person that ${renderName(titleOf(user))} asked for this: without a second
      factor, access to their email is enough to sign in.
    </p>
    <ul class="definitions">
      ${factors.map(({ kind, name }) => html`<li>${kinds[kind] ?? kind} ${renderName(name ?? '')}</li>`)}
    </ul>
    <p>They are signed out everywhere, receive an email, and can sign in without a second factor.</p>
    <form class="head" method="post" action="${base}/factors?id=${user.id}">
      <button>
        ${factors.length === 1 ? 'Remove second factor' : `Remove ${factors.length} second factors`}
      </button>
      <a class="button" href="${back}">Cancel</a>
    </form>`
}

/** Confirms the removal. */
export function renderFactorsRemoved(base: string, user: UserDetails, count: number): Html {
  const done = count === 1 ? 'The second factor was removed' : `All ${count} second factors were removed`
  const sentence =
    count === 0
      ? 'There was no second factor to remove.'
      : `${done}, and the user was signed out everywhere. They can sign in now.`
  return html`<p role="status">${sentence}</p>
    <p><a href="${base}/user?id=${user.id}">Back to ${renderName(titleOf(user))}</a></p>`
}
