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
      return i18n._('You left {name} ({time}). To come back, ask a member for an invitation.', values)
    case 'removed':
      return i18n._(
        'You were removed from {name} ({time}). If you still need access, ask an admin for an invitation.',
        values,
      )
    case 'deactivated':
      return i18n._(
        'Your access to {name} was deactivated ({time}). If you still need it, ask an admin to reactivate it.',
        values,
      )
    case 'expired':
      return i18n._(
        'Your temporary access to {name} ended ({time}). If you still need it, ask an admin to extend it.',
        values,
      )
    case 'workspace_deleted':
      return i18n._('{name} and everything in it were deleted ({time}).', values)
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
      return i18n._('You signed this browser out from another device ({time}). Sign in again.', values)
    case 'ended_by_admin':
      return i18n._('An admin signed you out of all devices ({time}). Sign in again.', values)
    case 'password_changed':
      return i18n._(
        'Your password was changed ({time}). Sign in again. If this wasn’t you, reset your password.',
        values,
      )
    case 'factor_added':
      return i18n._(
        'Two-factor authentication was turned on for your account ({time}). Sign in again with your second factor.',
        values,
      )
    case 'recovery_code_used':
      return i18n._(
        'Your second factor was removed with a recovery code ({time}). Sign in again. If this wasn’t you, change your password.',
        values,
      )
    case 'deletion_requested':
      return i18n._(
        'The deletion of your account was requested ({time}). If you want to keep it, sign in again.',
        values,
      )
    case 'timed_out':
      return i18n._('Your session expired ({time}). Sign in again.', values)
    case 'account_blocked':
      return i18n._('Your account was blocked ({time}). Contact the server’s administrator.', values)
    case 'account_deleted':
      return i18n._(
        'Your account was deleted ({time}). To come back, ask a member for an invitation.',
        values,
      )
    case 'signed_out':
    case undefined:
      return i18n._(
        'Your session was ended in another tab, on another device or by the server ({time}). Sign in again.',
        values,
      )
  }
}
