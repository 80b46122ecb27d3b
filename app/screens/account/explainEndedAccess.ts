import { i18n } from '@lingui/core'
import type { EndedMembership, EndedSession } from '../../../wire/people.ts'
import { formatDayAndTime } from '../../ui/dates.ts'

/** Why and when a membership ended, in a sentence, and the next step in another. */
export function explainEndedMembership(
  reason: EndedMembership['reason'],
  name: string,
  endedAt: string,
): string {
  const values = { name, time: formatDayAndTime(endedAt) }
  switch (reason) {
    case 'left':
      return i18n._('You left {name}: {time}. To come back, ask a member for an invitation.', values)
    case 'removed':
      return i18n._(
        'Your membership of {name} was ended: {time}. If you still need access, ask an admin for an invitation.',
        values,
      )
    case 'deactivated':
      return i18n._(
        'Your access to {name} was deactivated: {time}. If you still need it, ask an admin to reactivate it.',
        values,
      )
    case 'expired':
      return i18n._(
        'Your time-limited access to {name} ended: {time}. If you still need it, ask an admin to extend it.',
        values,
      )
    case 'workspace_deleted':
      return i18n._('{name} was deleted with everything in it: {time}.', values)
  }
}

/** Why and when a session ended, in a sentence, and the next step in another. Without a reason the server knows none. */
export function explainEndedSession(ended: EndedSession | null, noticedAt: string): string {
  const at = ended?.ended_at ?? noticedAt
  const values = { time: formatDayAndTime(at) }
  switch (ended?.reason) {
    case 'left':
    case 'removed':
    case 'deactivated':
    case 'expired':
      return explainEndedMembership(ended.reason, ended.workspace_name ?? '', at)
    case 'ended_elsewhere':
      return i18n._('You signed this browser out on another device: {time}. Sign in again.', values)
    case 'ended_by_admin':
      return i18n._('An admin signed you out of all devices: {time}. Sign in again.', values)
    case 'password_changed':
      return i18n._(
        'The password of your account was changed: {time}. Sign in again. If it wasn’t you, choose a new password.',
        values,
      )
    case 'factor_added':
      return i18n._(
        'Two-factor authentication was turned on for your account: {time}. Sign in again with your second factor.',
        values,
      )
    case 'recovery_code_used':
      return i18n._(
        'A recovery code removed the second factor of your account: {time}. Sign in again. If it wasn’t you, choose a new password.',
        values,
      )
    case 'deletion_requested':
      return i18n._(
        'The deletion of your account was requested: {time}. Sign in again if you want to keep the account.',
        values,
      )
    case 'timed_out':
      return i18n._('Your session expired: {time}. Sign in again.', values)
    case 'account_blocked':
      return i18n._('Your account is blocked: {time}. Ask the server’s administrator.', values)
    case 'account_deleted':
      return i18n._('Your account was deleted: {time}. To come back, ask a member for an invitation.', values)
    case 'signed_out':
    case undefined:
      return i18n._(
        'Your session was ended in another tab, on another device or by the server: {time}. Sign in again.',
        values,
      )
  }
}
