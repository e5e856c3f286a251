#pragma once

int report(int wrong);
