import type { MovingError, MovingRefusal } from '../../../wire/moving.ts'

const statuses: Record<MovingRefusal, 400 | 404 | 409 | 507> = {
  moving_busy: 409,
  moving_disk_full: 507,
  moving_not_found: 404,
  moving_invalid: 400,
}

/** A refused request, with a sentence for programs. The application has its own sentences. */
export class MovingRefused extends Error {
  readonly error: MovingRefusal
  constructor(error: MovingRefusal, message: string) {
    super(message)
    this.error = error
  }
  get status(): 400 | 404 | 409 | 507 {
    return statuses[this.error]
  }
  body(): MovingError {
    return { error: this.error, message: this.message }
  }
}

export const refusals = {
  busy: () =>
    new MovingRefused(
      'moving_busy',
      'Another export or import is running on the server. Try again when it has finished.',
    ),
  diskFull: () => new MovingRefused('moving_disk_full', 'The disk of the server has too little space.'),
  notFound: () => new MovingRefused('moving_not_found', 'It does not exist, or is no longer stored.'),
  invalid: (message: string) => new MovingRefused('moving_invalid', message),
}
