import { i18n } from '@lingui/core'
import { useState } from 'react'
import { normalizeEmailAddress } from '../../../../../wire/emailAddress.ts'
import type { AdministeredPerson, Member } from '../../../../../wire/people.ts'
import {
  changeEach,
  correctAddress,
  deactivateMember,
  endIntegrations,
  erasePerson,
  personDetails,
  reactivateMember,
  removePerson,
  setGuestAccess,
  setMemberRole,
  signOutPerson,
} from '../../../../data/administration/administerPeople.ts'
import type { Outcome } from '../../../../data/failures/failures.ts'
import { isolateBidi } from '../../../../data/people/isolateBidi.ts'
import { Checkbox } from '../../../../ui/Checkbox.tsx'
import { FormDialog } from '../../../../ui/FormDialog.tsx'
import { TextField } from '../../../../ui/TextField.tsx'
import { useQuery } from '../../../../data/queries/useQuery.ts'
import { ChannelChoice } from '../../channels/ChannelChoice.tsx'
import { ConfirmDialog } from '../../../../ui/ConfirmDialog.tsx'
import { workspaceRoleLabel } from '../../../parts/members/roleLabel.ts'
import { dayOf, endOfDay } from '../../../parts/times/dayField.ts'
import type { PersonAction } from './personActions.ts'

interface Props {
  action: PersonAction
  people: readonly AdministeredPerson[]
  onDone?: () => void
  onClose: () => void
}

/** Confirms a change of one or many people, and does it. */
export default function ChangePeople({ action, people, onClose, onDone = onClose }: Props) {
  const [single] = people
  if (!single) return null
  if (action === 'access') return <GuestAccess person={single} onDone={onDone} onClose={onClose} />
  if (action === 'correct_address')
    return <CorrectAddress person={single} onDone={onDone} onClose={onClose} />
  if (action === 'erase') return <ErasePerson person={single} onDone={onDone} onClose={onClose} />
  if (action === 'reactivate') return <Reactivate people={people} onDone={onDone} onClose={onClose} />
  if (action === 'end_integrations')
    return <EndIntegrations people={people} onDone={onDone} onClose={onClose} />
  return <ChangeMembership action={action} people={people} onDone={onDone} onClose={onClose} />
}

type SimpleAction = Exclude<
  PersonAction,
  'access' | 'correct_address' | 'erase' | 'reactivate' | 'end_integrations'
>

const integrationsOf = (people: readonly AdministeredPerson[]): number =>
  people.reduce((sum, { integrations }) => sum + integrations, 0)

/**
 * Confirms a new role or the end of a membership. Of people who then no longer manage the workspace, the user chooses
 * what happens to the integrations that they have created.
 */
function ChangeMembership({ action, people, onDone, onClose }: Required<Props> & { action: SimpleAction }) {
  const [endsIntegrations, setEndsIntegrations] = useState(false)
  const staysInRole = action === 'admin' || action === 'owner' || action === 'sign_out'
  const leftBehind = staysInRole ? 0 : integrationsOf(people)
  const run = async ({ profile, integrations }: AdministeredPerson): Promise<Outcome<unknown>> => {
    const outcome = await change(action, profile.id)
    // Afterwards: nothing can be created any more that would stay.
    return outcome.ok && endsIntegrations && integrations > 0 ? endIntegrations(profile.id) : outcome
  }
  return (
    <ConfirmDialog
      title={titleOf(action, people)}
      text={consequenceOf(action)}
      action={actionLabel(action)}
      isDestructive={action === 'deactivate' || action === 'remove'}
      doneText={action === 'sign_out' ? i18n._('Signed out.') : i18n._('Changes saved.')}
      run={() => changeEach(people, run)}
      onDone={onDone}
      onClose={onClose}
    >
      {leftBehind > 0 ? (
        <Checkbox
          label={i18n._(
            '{count, plural, one {End # bot token, webhook or command that they created} other {End # bot tokens, webhooks and commands that they created}}',
            { count: leftBehind },
          )}
          hint={i18n._(
            'You can’t undo this. If you don’t end them, they keep working. Admins see them under “Bots and webhooks” until someone has reviewed them.',
          )}
          checked={endsIntegrations}
          onChange={setEndsIntegrations}
        />
      ) : null}
    </ConfirmDialog>
  )
}

/** Confirms the end of all tokens, webhooks and commands that people have created. */
function EndIntegrations({ people, onDone, onClose }: Omit<Required<Props>, 'action'>) {
  const count = integrationsOf(people)
  return (
    <ConfirmDialog
      title={i18n._('{count, plural, one {End # integration?} other {End # integrations?}}', { count })}
      text={i18n._(
        'These bot tokens, webhooks and commands stop working right away, even in channels that you can’t read. The bots and their messages stay. You can’t undo this.',
      )}
      action={i18n._('End integrations')}
      isDestructive
      doneText={i18n._('Integrations ended.')}
      run={() =>
        changeEach(
          people.filter(({ integrations }) => integrations > 0),
          ({ profile }) => endIntegrations(profile.id),
        )
      }
      onDone={onDone}
      onClose={onClose}
    />
  )
}

function change(action: SimpleAction, id: string): Promise<Outcome<Member>> {
  if (action === 'deactivate') return deactivateMember(id)
  if (action === 'remove') return removePerson(id)
  if (action === 'sign_out') return signOutPerson(id)
  return setMemberRole(id, action)
}

function titleOf(action: SimpleAction | 'reactivate', people: readonly AdministeredPerson[]): string {
  const [only] = people
  const count = people.length
  const name = isolateBidi(only?.profile.name ?? '')
  if (action === 'deactivate')
    return count === 1
      ? i18n._('Deactivate {name}?', { name })
      : i18n._('{count, plural, one {Deactivate this person?} other {Deactivate # people?}}', { count })
  if (action === 'reactivate')
    return count === 1
      ? i18n._('Reactivate {name}?', { name })
      : i18n._('{count, plural, one {Reactivate this person?} other {Reactivate # people?}}', { count })
  if (action === 'remove')
    return count === 1
      ? i18n._('Remove {name} from the workspace?', { name })
      : i18n._('{count, plural, one {Remove this person?} other {Remove # people?}}', { count })
  if (action === 'sign_out')
    return count === 1
      ? i18n._('Sign {name} out of all devices?', { name })
      : i18n._('{count, plural, one {Sign this person out?} other {Sign # people out?}}', { count })
  const role = workspaceRoleLabel(action)
  return count === 1
    ? i18n._('Change the role of {name} to {role}?', { name, role })
    : i18n._('{count, plural, one {Change this person’s role?} other {Change the role of # people?}}', {
        count,
      })
}

function actionLabel(action: SimpleAction): string {
  if (action === 'deactivate') return i18n._('Deactivate')
  if (action === 'remove') return i18n._('Remove from workspace')
  if (action === 'sign_out') return i18n._('Sign out')
  return i18n._('Change role to {role}', { role: workspaceRoleLabel(action) })
}

function consequenceOf(action: SimpleAction): string {
  if (action === 'deactivate')
    return i18n._(
      'They’re signed out right away and lose all access. Their messages stay, and you can reactivate them.',
    )
  if (action === 'remove')
    return i18n._(
      'They’re signed out right away and leave all channels. Their messages stay under their name. To come back, they need a new invitation.',
    )
  if (action === 'sign_out')
    return i18n._(
      'They’re signed out right away, in every workspace on this server, and can sign in again. Use this if a device was lost.',
    )
  if (action === 'guest')
    return i18n._('They only keep the channels they’re a member of, and only see the people in them.')
  if (action === 'owner')
    return i18n._('Owners can do everything, and only they can step down from this role.')
  return i18n._('The new role applies right away.')
}

/** Days until the access of a reactivated guest ends, unless another date is chosen. */
const GUEST_DAYS = 30

/** Confirms that people come back; the access of guests gets an end. */
function Reactivate({ people, onDone, onClose }: Omit<Required<Props>, 'action'>) {
  const guests = people.filter(({ role }) => role === 'guest')
  const [until, setUntil] = useState(() => firstEnd(guests))
  return (
    <ConfirmDialog
      title={titleOf('reactivate', people)}
      text={i18n._('They get their role, channels and drafts back, and can sign in again.')}
      action={i18n._('Reactivate')}
      doneText={i18n._('Changes saved.')}
      run={() =>
        changeEach(people, ({ role, profile }) =>
          reactivateMember(profile.id, role === 'guest' ? endOfDay(until) : null),
        )
      }
      onDone={onDone}
      onClose={onClose}
    >
      {guests.length ? <AccessEnd value={until} onChange={setUntil} /> : null}
    </ConfirmDialog>
  )
}

/** The latest end of the guests that is not over; else in 30 days. */
function firstEnd(guests: readonly AdministeredPerson[]): string {
  const ends = guests.map(({ expires_at }) => Date.parse(expires_at ?? '')).filter((end) => end > Date.now())
  return dayOf(new Date(ends.length ? Math.max(...ends) : Date.now() + GUEST_DAYS * 86_400_000))
}

function AccessEnd({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [today] = useState(() => dayOf(new Date()))
  return (
    <TextField
      label={i18n._('Access until')}
      hint={i18n._('Leave it empty if access shouldn’t end.')}
      type="date"
      min={today}
      value={value}
      onChange={onChange}
    />
  )
}

interface PersonProps {
  person: AdministeredPerson
  onDone: () => void
  onClose: () => void
}

/** The channels of a guest, and the end of their access. */
function GuestAccess({ person, onDone, onClose }: PersonProps) {
  const { id, name } = person.profile
  const details = useQuery(personDetails, [id])
  const [chosen, setChosen] = useState<string[] | null>(null)
  const [until, setUntil] = useState(person.expires_at ? dayOf(new Date(person.expires_at)) : '')
  const channels = chosen ?? details.value?.channels ?? []
  return (
    <FormDialog
      title={i18n._('Guest access of {name}', { name })}
      action={i18n._('Save')}
      run={() => setGuestAccess(id, channels, endOfDay(until))}
      isDisabled={!details.value}
      failure={details.failure?.message}
      doneText={i18n._('Changes saved.')}
      hasChoices={chosen !== null}
      onDone={onDone}
      onClose={onClose}
    >
      {details.value ? (
        <ChannelChoice label={i18n._('Channels')} chosen={channels} onChange={setChosen} />
      ) : null}
      <AccessEnd value={until} onChange={setUntil} />
    </FormDialog>
  )
}

/** The address of a person whose account nobody has used. */
function CorrectAddress({ person, onDone, onClose }: PersonProps) {
  const { id, name } = person.profile
  const [email, setEmail] = useState(person.email ?? '')
  return (
    <FormDialog
      title={i18n._('Email address of {name}', { name: isolateBidi(name) })}
      action={i18n._('Save')}
      run={() => correctAddress(id, email)}
      isDisabled={normalizeEmailAddress(email.trim()) === null || email.trim() === person.email}
      doneText={i18n._('Changes saved.')}
      onDone={onDone}
      onClose={onClose}
    >
      <TextField
        label={i18n._('Email address')}
        hint={i18n._(
          'Nobody has signed in to this account yet. After the first sign-in, only the person can change the address.',
        )}
        type="email"
        autoComplete="off"
        value={email}
        onChange={setEmail}
      />
    </FormDialog>
  )
}

/** Confirms an erasure, with what remains. */
function ErasePerson({ person, onDone, onClose }: PersonProps) {
  const { id } = person.profile
  const details = useQuery(personDetails, [id])
  if (!details.value && !details.failure) return null
  const messages = details.value?.messages ?? 0
  return (
    <ConfirmDialog
      title={i18n._('Erase personal data?')}
      text={i18n._(
        '{messages, plural, one {# message stays, under the name “Former member”.} other {# messages stay, under the name “Former member”.}} The name, picture, title, drafts and the account with its email address are deleted for good.',
        { messages },
      )}
      action={i18n._('Erase personal data')}
      isDestructive
      doneText={i18n._('Personal data erased.')}
      run={() => changeEach([person], ({ profile }) => erasePerson(profile.id))}
      onDone={onDone}
      onClose={onClose}
    />
  )
}
