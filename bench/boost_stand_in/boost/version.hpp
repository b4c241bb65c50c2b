// SPDX-License-Identifier: Apache-2.0
// No part of Boost: see bloom/filter.hpp beside this file.
#pragma once

#define BOOST_VERSION 109000
