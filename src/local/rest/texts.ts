/** How long texts may be; GitHub refuses longer ones. */
import { z } from 'zod';

const atMost = (most: number) => z.string().max(most, `is too long (maximum is ${most} characters)`);

export const titleText = atMost(256);
export const bodyText = atMost(65_536);
